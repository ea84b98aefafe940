"""Runs the two halves of a one-question flow separately.

    seal.py

Reads one JSON object a line from standard input and writes one to standard
output for each. State that one server sealed can so be carried to another
server, or to the same one after its keys have changed.

    {"op": "begin", "url": U, "kind": K, "name": N, "arguments": {..}}

sends the first round and answers `{"state": TOKEN}`.

    {"op": "finish", "url": U, "kind": K, "name": N, "arguments": {..},
     "responses": {..}, "state": TOKEN}

sends the retry and answers `{"result": ..}`, which is an interim result when
the server asks further. K is "tool", "prompt" or "resource"; N is a resource's
URI, which takes no arguments. A protocol error answers `{"error": {"code",
"message", "data"}}` in either half, a result where a question was expected
answers `{"result": ..}`, and anything else `{"failure": TEXT}`.

Connections are pinned to 2026-07-28, without a probe: each line is one
request about the flow, whatever the server's keys are doing meanwhile.
"""

import asyncio
import json
import sys

import mcp_types as types
from mcp import Client, MCPError
from pydantic import TypeAdapter

REVISION = "2026-07-28"
TIMEOUT_SECONDS = 30
RESPONSES = TypeAdapter(types.InputResponses)


async def unexpected(context, params=None):
    """Stands for a capability; questions are answered by the caller."""
    raise RuntimeError("no question is answered here")


async def send(client, line, **retry):
    """Sends one round by hand."""
    retry["allow_input_required"] = True
    session, name = client.session, line["name"]
    match line["kind"]:
        case "tool":
            return await session.call_tool(name, line.get("arguments"), **retry)
        case "prompt":
            return await session.get_prompt(name, line.get("arguments"), **retry)
        case "resource":
            return await session.read_resource(name, **retry)
        case other:
            raise ValueError(f"unknown kind {other!r}; use tool, prompt or resource")


async def half(line):
    """Runs one half on a connection of its own."""
    retry = {}
    if line["op"] == "finish":
        responses = RESPONSES.validate_python(line["responses"], by_name=False)
        retry = {"input_responses": responses, "request_state": line["state"]}
    elif line["op"] != "begin":
        raise ValueError(f"unknown op {line['op']!r}; use begin or finish")
    client = Client(
        line["url"],
        mode=REVISION,
        elicitation_callback=unexpected,
        sampling_callback=unexpected,
        list_roots_callback=unexpected,
    )
    async with asyncio.timeout(TIMEOUT_SECONDS), client:
        result = await send(client, line, **retry)
    if line["op"] == "begin" and isinstance(result, types.InputRequiredResult):
        return {"state": result.request_state}
    return {"result": result.model_dump(by_alias=True, mode="json", exclude_none=True)}


def cause(error):
    """Returns the first plain exception inside nested groups."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


async def answer(text):
    """Runs one line; whatever is wrong with it becomes its answer."""
    try:
        return await half(json.loads(text))
    except Exception as error:
        found = cause(error)
    if isinstance(found, MCPError):
        return {"error": found.error.model_dump(mode="json")}
    return {"failure": f"{type(found).__name__}: {found}"}


def main():
    for text in sys.stdin:
        print(json.dumps(asyncio.run(answer(text))), flush=True)


if __name__ == "__main__":
    main()
