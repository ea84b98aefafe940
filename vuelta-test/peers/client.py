"""Drives a server that implements the provisioning fixture.

    client.py URL [--only NAME ..] [--list]

Every scenario opens its own connection with the Python SDK's client and
prints one line, `ok NAME` or `FAIL NAME: reason`. The exit status is 0 when
all passed, else 1. `--list` prints the names and ends.

Connections are negotiated (`mode="auto"`): the client asks `server/discover`
as an ordinary one would, and its server information and capabilities are the
server's own. Since that mode falls back to older revisions, each connection
checks that it speaks 2026-07-28.
"""

import argparse
import asyncio
import sys
from contextlib import asynccontextmanager

import mcp_types as types
from mcp import Client, MCPError

REVISION = "2026-07-28"
TIMEOUT_SECONDS = 30

SCENARIOS = {}


class FixtureError(Exception):
    """Says which observation differs from the fixture."""


def scenario(function):
    """Registers a scenario under its function's name."""
    SCENARIOS[function.__name__] = function
    return function


def expect(found, wanted, what):
    if found != wanted:
        raise FixtureError(f"{what}: expected {wanted!r}, found {found!r}")


def accept(**content):
    return types.ElicitResult(action="accept", content=content or None)


class User:
    """Answers questions from a table of messages, and remembers them."""

    def __init__(self, answers):
        self.answers = answers
        self.asked = []

    async def elicit(self, context, params):
        self.asked.append(params)
        if params.message not in self.answers:
            raise FixtureError(f"unexpected question {params.message!r}")
        return self.answers[params.message]

    @property
    def messages(self):
        return [params.message for params in self.asked]


REGION = "Which region should the database live in?"
ORDERS = {"name": "orders"}


@asynccontextmanager
async def connect(url, user=None, **callbacks):
    """Opens a modern connection; `user` answers elicitations."""
    if user is not None:
        callbacks["elicitation_callback"] = user.elicit
    async with Client(url, mode="auto", **callbacks) as client:
        expect(client.protocol_version, REVISION, "negotiated revision")
        yield client


async def error_of(call, code, message=None):
    """Awaits a call that has to fail, and returns the error's data."""
    try:
        found = await call
    except MCPError as error:
        expect(error.code, code, "error code")
        if message is not None:
            expect(error.message, message, "error message")
        return error.data
    raise FixtureError(f"expected error {code}, found {type(found).__name__}")


def expect_text(result, wanted):
    """Checks a tool result that is one text block."""
    expect(result.is_error, False, "isError")
    expect([block.type for block in result.content], ["text"], "content types")
    expect(result.content[0].text, wanted, "text")


def expect_asked(result, *keys):
    """Checks an interim result: its questions' keys and its sealed state."""
    if not isinstance(result, types.InputRequiredResult):
        raise FixtureError(f"expected questions, found {type(result).__name__}")
    expect(sorted(result.input_requests or {}), sorted(keys), "question keys")
    if not (result.request_state or "").startswith("v1."):
        raise FixtureError(f"expected a sealed state, found {result.request_state!r}")
    return result.request_state


async def leg(client, name, arguments=None, responses=None, state=None):
    """Sends one round of a tool call by hand."""
    return await client.session.call_tool(
        name,
        arguments,
        input_responses=responses,
        request_state=state,
        allow_input_required=True,
    )


@scenario
async def discover(url):
    async with connect(url) as client:
        expect(client.server_info.name, "wire-server", "server name")
        expect(client.server_info.version, "1.2.3", "server version")
        for kind in ("tools", "prompts", "resources"):
            if getattr(client.server_capabilities, kind) is None:
                raise FixtureError(f"capability {kind} is missing")


@scenario
async def lists(url):
    async with connect(url) as client:
        tools = {tool.name for tool in (await client.list_tools()).tools}
        wanted = {"provision", "three_kinds", "steps", "wait", "ask_url", "add", "progress"}
        expect(wanted - tools, set(), "tools that are not listed")
        prompts = [prompt.name for prompt in (await client.list_prompts()).prompts]
        expect(prompts, ["briefing"], "prompts")
        resources = [item.uri for item in (await client.list_resources()).resources]
        expect(resources, ["mem://a"], "resources")
        templates = (await client.list_resource_templates()).resource_templates
        expect([item.uri_template for item in templates], ["note:///{name}"], "templates")


@scenario
async def provision_auto(url):
    user = User({REGION: accept(region="eu-west-1")})
    async with connect(url, user) as client:
        result = await client.call_tool("provision", ORDERS)
    expect_text(result, "Provisioned orders in eu-west-1.")
    expect(user.messages, [REGION], "questions")
    schema = user.asked[0].requested_schema
    expect(user.asked[0].mode, "form", "mode")
    expect(schema["properties"]["region"]["type"], "string", "type of region")
    expect(schema.get("required"), ["region"], "required members")


@scenario
async def provision_manual(url):
    async with connect(url, User({})) as client:
        state = expect_asked(await leg(client, "provision", ORDERS), "region")
        answers = {"region": accept(region="eu-west-1")}
        result = await leg(client, "provision", ORDERS, answers, state)
    expect_text(result, "Provisioned orders in eu-west-1.")


@scenario
async def provision_asks_again(url):
    """A retry without a usable answer gets the same question."""
    async with connect(url, User({})) as client:
        state = expect_asked(await leg(client, "provision", ORDERS), "region")
        state = expect_asked(await leg(client, "provision", ORDERS, None, state), "region")
        unknown = {"elsewhere": accept(region="eu-west-1")}
        expect_asked(await leg(client, "provision", ORDERS, unknown, state), "region")


async def refuse(url, action):
    user = User({REGION: types.ElicitResult(action=action)})
    async with connect(url, user) as client:
        result = await client.call_tool("provision", ORDERS)
    expect_text(result, f"Not provisioned: {action}.")


@scenario
async def decline(url):
    await refuse(url, "decline")


@scenario
async def cancel(url):
    await refuse(url, "cancel")


@scenario
async def wrong_state(url):
    """Tampered, foreign and rebound states fail alike; the token stays good."""
    answers = {"region": accept(region="eu-west-1")}
    async with connect(url, User({})) as client:
        state = expect_asked(await leg(client, "provision", ORDERS), "region")
        middle = len(state) // 2
        head, old, tail = state[:middle], state[middle], state[middle + 1 :]
        tampered = head + ("A" if old != "A" else "B") + tail
        for arguments, token in (
            (ORDERS, tampered),
            (ORDERS, state[:-1]),
            (ORDERS, "provision-v1"),
            (ORDERS, ""),
            ({"name": "users"}, state),
        ):
            data = await error_of(
                leg(client, "provision", arguments, answers, token),
                types.INVALID_PARAMS,
                "Invalid or expired requestState",
            )
            expect(data, {"reason": "invalid_request_state"}, "error data")
        result = await leg(client, "provision", ORDERS, answers, state)
    expect_text(result, "Provisioned orders in eu-west-1.")


@scenario
async def missing_capability(url):
    """A client without callbacks declares nothing, so nothing is asked."""
    required = {"requiredCapabilities": {"elicitation": {"form": {}}}}
    code = types.MISSING_REQUIRED_CLIENT_CAPABILITY
    async with connect(url) as client:
        for call, *arguments in (
            (client.call_tool, "provision", ORDERS),
            (client.get_prompt, "briefing"),
            (client.read_resource, "note:///plan"),
        ):
            expect(await error_of(call(*arguments), code), required, "error data")
        expect_text(await client.call_tool("add", {"a": 2, "b": 3}), "5")


@scenario
async def prompt_asks(url):
    question = "Who is the briefing for?"
    user = User({question: accept(audience="the board")})
    async with connect(url, user) as client:
        result = await client.get_prompt("briefing")
    expect(user.messages, [question], "questions")
    expect([message.role for message in result.messages], ["user"], "roles")
    expect(result.messages[0].content.text, "Write a briefing for the board.", "text")


@scenario
async def template_asks(url):
    question = "Which language?"
    user = User({question: accept(lang="Spanish")})
    async with connect(url, user) as client:
        result = await client.read_resource("note:///plan")
    expect(user.messages, [question], "questions")
    expect(len(result.contents), 1, "number of contents")
    found = result.contents[0]
    expect(found.uri, "note:///plan", "uri")
    expect(found.mime_type, "text/plain", "mimeType")
    expect(found.text, "plan in Spanish", "text")


@scenario
async def static_resource(url):
    async with connect(url) as client:
        result = await client.read_resource("mem://a")
    expect([item.text for item in result.contents], ["a"], "texts")


@scenario
async def state_only(url):
    async with connect(url, User({})) as client:
        expect_text(await client.call_tool("wait"), "waited 2")


@scenario
async def steps_auto(url):
    user = User({"First?": accept(value="one"), "Second?": accept(value="two")})
    async with connect(url, user) as client:
        expect_text(await client.call_tool("steps"), "one,two")
    expect(user.messages, ["First?", "Second?"], "questions")


@scenario
async def steps_manual(url):
    """Only the last round's answers are sent; the first rides in the state."""
    async with connect(url, User({})) as client:
        one = expect_asked(await leg(client, "steps"), "first")
        first = {"first": accept(value="one")}
        two = expect_asked(await leg(client, "steps", None, first, one), "second")
        if one == two:
            raise FixtureError("both rounds carry the same state")
        second = {"second": accept(value="two")}
        expect_text(await leg(client, "steps", None, second, two), "one,two")


@scenario
async def three_kinds(url):
    user = User({"How old?": accept(age=42)})
    sampled = []

    async def sample(context, params):
        sampled.append(params)
        content = types.TextContent(text="Paris")
        return types.CreateMessageResult(role="assistant", content=content, model="m")

    async def list_roots(context):
        return types.ListRootsResult(roots=[types.Root(uri="file:///w", name="w")])

    callbacks = {"sampling_callback": sample, "list_roots_callback": list_roots}
    async with connect(url, user, **callbacks) as client:
        expect_asked(await leg(client, "three_kinds"), "age", "capital", "roots")
        expect_text(await client.call_tool("three_kinds"), "42/Paris/1")
    expect(len(sampled), 1, "sampling requests")
    expect(sampled[0].max_tokens, 16, "maxTokens")
    expect([message.role for message in sampled[0].messages], ["user"], "roles")
    expect(sampled[0].messages[0].content.text, "Capital of France?", "sampled text")


@scenario
async def url_mode(url):
    user = User({"Sign in": accept()})
    async with connect(url, user) as client:
        first = await leg(client, "ask_url")
        expect(list(first.input_requests), ["auth"], "question keys")
        expect(first.request_state, None, "state")
        expect_text(await client.call_tool("ask_url"), "signed in")
    expect(user.asked[0].mode, "url", "mode")
    expect(user.asked[0].url, "https://example.com/sign-in", "url")


@scenario
async def add(url):
    async with connect(url) as client:
        result = await client.call_tool("add", {"a": 40, "b": 2})
    expect_text(result, "42")
    expect(result.structured_content, {"sum": 42}, "structuredContent")


@scenario
async def progress(url):
    seen = []

    async def record(done, total, message):
        seen.append((done, total))

    async with connect(url) as client:
        result = await client.call_tool("progress", progress_callback=record)
        expect_text(result, "done")
        expect(seen, [(1, 3), (2, 3), (3, 3)], "progress")
        expect_text(await client.call_tool("progress"), "done")


@scenario
async def unknown_names(url):
    async with connect(url) as client:
        await error_of(client.call_tool("nope"), types.INVALID_PARAMS, "Unknown tool: nope")
        await error_of(client.get_prompt("nope"), types.INVALID_PARAMS, "Unknown prompt: nope")
        data = await error_of(
            client.read_resource("mem://nope"),
            types.INVALID_PARAMS,
            "Unknown resource: mem://nope",
        )
        expect(data, {"uri": "mem://nope"}, "error data")
        expect_text(await client.call_tool("add", {"a": 1, "b": 1}), "2")


def cause(error):
    """Returns the first plain exception inside nested groups."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


async def run(name, url):
    """Runs one scenario and reports it; returns whether it passed."""
    try:
        async with asyncio.timeout(TIMEOUT_SECONDS):
            await SCENARIOS[name](url)
    except Exception as error:
        found = cause(error)
        what = str(found) if isinstance(found, FixtureError) else repr(found)
        print(f"FAIL {name}: {' '.join(what.split())}", flush=True)
        return False
    print(f"ok {name}", flush=True)
    return True


async def run_all(names, url):
    return all([await run(name, url) for name in names])


def main():
    parser = argparse.ArgumentParser(description="Drive a server of the provisioning fixture.")
    parser.add_argument("url", nargs="?", help="such as http://127.0.0.1:8000/mcp")
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=SCENARIOS)
    parser.add_argument("--list", action="store_true", help="print the names of the scenarios")
    options = parser.parse_args()
    if options.list:
        print("\n".join(SCENARIOS))
        return 0
    if options.url is None:
        parser.error("the URL of a server is needed")
    passed = asyncio.run(run_all(options.only or SCENARIOS, options.url))
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
