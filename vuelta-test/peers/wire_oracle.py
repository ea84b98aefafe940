"""Judges JSON values by the Python SDK's wire models of one revision.

    wire_oracle.py REVISION

REVISION is 2026-07-28 or 2025-11-25. Reads one JSON object a line from standard
input and writes one to standard output for each.

    {"op": "types"}

answers `{"types": [NAME, ..]}`: every model that the revision's messages
reach, and every named union of them.

    {"op": "check", "type": NAME, "value": V}

answers `{"ok": true, "value": W}`, where W is V as the package writes it to
the wire, or `{"ok": false, "error": TEXT}`. Members that the revision does
not define are dropped from W, and so are members that are null.

    {"op": "samples", "type": NAME}

answers `{"values": [..]}`: values that the package's own models built, as it
writes them. They are the value with its required members only, the value with
every member, and the first again with each member in turn as each alternative
of that member's type. The same values come in the same order every time.

A line that cannot be served answers `{"ok": false, "error": TEXT}`.

The models are internal to the package: another version may name them otherwise.
"""

import importlib
import inspect
import json
import sys
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from mcp_types._wire_base import WireModel
from pydantic import TypeAdapter

REVISION = sys.argv[1]
wire = importlib.import_module(f"mcp_types._v{REVISION.replace('-', '_')}")

UNIONS = (Union, UnionType)

# Messages that no named union mentions.
ROOT_NAMES = ("ClientNotification", "ClientResult", "EmptyResult")
ROOT_SUFFIXES = ("Error", "ResultResponse")
MAPS = ("InputRequests", "InputResponses")

# Members that the models leave open although the revision defines them.
CLOSED_MEMBERS = {
    "properties": dict[str, wire.PrimitiveSchemaDefinition],
    "io.modelcontextprotocol/serverInfo": wire.Implementation,
}

# Texts for members whose values have a form; any other text will do.
TEXTS = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "blob": "aGVsbG8=",
    "data": "aGVsbG8=",
    "io.modelcontextprotocol/protocolVersion": REVISION,
    "lastModified": "2026-07-28T12:00:00Z",
    "method": "tools/call",
    "mimeType": "text/plain",
    "protocolVersion": REVISION,
    "requested": REVISION,
    "required": "key",
    "resultType": "complete",
    "sizes": "48x48",
    "src": "https://example.com/icon.png",
    "stopReason": "endTurn",
    "supported": REVISION,
    "supportedVersions": REVISION,
    "type": "number",
    "uri": "file:///project/notes.txt",
    "uriTemplate": "note:///{name}",
    "url": "https://example.com/sign-in",
    "websiteUrl": "https://example.com",
}

INTEGERS = {"code": -32603}
KEYS = {"extensions": "com.example/extension"}
# The greatest integer that every JSON reader keeps exactly.
GREATEST = 2**53 - 1
OPEN = {"items": [1, 2.5, "text", True, None]}
EXTRA = {"com.example/extra": OPEN}

# The models let an interim result carry any type and nothing at all; the
# specification demands this type, and questions or state.
INTERIM_MODEL = getattr(wire, "InputRequiredResult", None)
INTERIM = {"resultType": "input_required", "requestState": "text"}


def is_model(annotation):
    return inspect.isclass(annotation) and issubclass(annotation, WireModel)


def is_union(annotation):
    return get_origin(annotation) in UNIONS


def members(model):
    """Yields each member's wire name, annotation and whether it is required."""
    for name, field in model.model_fields.items():
        alias = field.alias or name
        annotation = field.annotation
        if Any in (annotation, *get_args(annotation)):
            annotation = CLOSED_MEMBERS.get(alias, annotation)
        yield alias, annotation, field.is_required()


def models_in(annotation, found):
    """Adds to `found` the models that an annotation reaches."""
    if not is_model(annotation):
        for argument in get_args(annotation):
            models_in(argument, found)
    elif annotation not in found:
        found.add(annotation)
        for _, member, _ in members(annotation):
            models_in(member, found)


def collect():
    """Maps the name of each type that can be checked to its annotation."""
    public = {name: value for name, value in vars(wire).items() if not name.startswith("_")}
    roots = {}
    for name, value in public.items():
        if is_model(value):
            chosen = name in ROOT_NAMES or name.endswith(ROOT_SUFFIXES)
        else:
            chosen = is_union(value) or get_origin(value) is Literal or name in MAPS
        if chosen:
            roots[name] = value
    reached = set()
    for value in roots.values():
        models_in(value, reached)
    return dict(sorted((roots | {model.__name__: model for model in reached}).items()))


def dump(annotation, value):
    """Validates a value, and writes it as the package does to the wire."""
    adapter = TypeAdapter(annotation)
    parsed = adapter.validate_python(value, by_name=False)
    return adapter.dump_python(parsed, by_alias=True, mode="json", exclude_none=True)


def build(model, full):
    """Builds a model from its required members only, or from all."""
    value = {
        alias: one(annotation, full, alias)
        for alias, annotation, required in members(model)
        if full or required
    }
    if full and model.model_config.get("extra") == "allow":
        value |= EXTRA
    if model is INTERIM_MODEL:
        value |= INTERIM
    return value


def one(annotation, full, name):
    """Returns one value of an annotation; a union gives its first arm."""
    if is_model(annotation):
        return build(annotation, full)
    arguments = get_args(annotation)
    origin = get_origin(annotation)
    if is_union(annotation):
        return one(arguments[0], full, name)
    if origin is Literal:
        return TEXTS[name] if TEXTS.get(name) in arguments else arguments[0]
    if origin is list:
        return [one(arguments[0], full, name)] if full else []
    if origin is dict:
        return {KEYS.get(name, "key"): one(arguments[1], full, "")} if full else {}
    if annotation is str:
        return TEXTS.get(name, "text")
    if annotation is int:
        return INTEGERS.get(name, GREATEST if full else 1)
    if annotation is float:
        return 0.5 if full else 1.0
    if annotation is bool:
        return full
    return OPEN


def each(annotation, name):
    """Returns one value for each alternative of an annotation."""
    arguments = get_args(annotation)
    origin = get_origin(annotation)
    if is_union(annotation):
        return [value for arm in arguments if arm is not NoneType for value in each(arm, name)]
    if origin is Literal:
        return list(arguments)
    if origin is list:
        return [[value] for value in each(arguments[0], name)]
    if origin is dict:
        return [{KEYS.get(name, "key"): value} for value in each(arguments[1], "")]
    if annotation is Any:
        return [OPEN, [OPEN], "text", 1, 2.5, False]
    if annotation is str:
        return [one(annotation, True, name)]
    return [one(annotation, False, name), one(annotation, True, name)]


def unbuilt_samples(annotation):
    """Returns the values of a type before the package has built them."""
    if not is_model(annotation):
        return each(annotation, "")
    least = build(annotation, False)
    values = [least, build(annotation, True)]
    for alias, member, _ in members(annotation):
        values += [least | {alias: value} for value in each(member, alias)]
    if annotation is INTERIM_MODEL:
        values = [value for value in values if value["resultType"] == INTERIM["resultType"]]
        values.append({name: value for name, value in values[1].items() if name != "requestState"})
    return values


def samples(annotation):
    """Returns the distinct values of a type, as the package writes them."""
    written = [json.dumps(dump(annotation, value)) for value in unbuilt_samples(annotation)]
    return [json.loads(text) for text in dict.fromkeys(written)]


def answer(types, line):
    op = line["op"]
    if op == "types":
        return {"types": list(types)}
    if op not in ("check", "samples"):
        raise ValueError(f"unknown op {op!r}; use types, check or samples")
    name = line["type"]
    if name not in types:
        raise ValueError(f"unknown type {name!r}; ask for types")
    if op == "samples":
        return {"values": samples(types[name])}
    return {"ok": True, "value": dump(types[name], line["value"])}


def main():
    types = collect()
    for text in sys.stdin:
        try:
            reply = answer(types, json.loads(text))
        except Exception as error:
            reply = {"ok": False, "error": f"{type(error).__name__}: {error}"}
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
