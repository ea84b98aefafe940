"""The stories of the eras, told once for every client that is written in Python.

A client is driven through an adapter, which `client_v1.py` and `client_v2.py` bring: it speaks
in the members of the wire, whatever the SDK calls them. Every story prints one line, `ok NAME`
or `FAIL NAME: reason`, and all of them share one connection.
"""

import argparse
import asyncio
import sys

TIMEOUT_SECONDS = 15

STORIES = {}


class Different(Exception):
    """Says which observation differs from the fixture."""


class Refused(Exception):
    """A call was answered with an error of JSON-RPC."""

    def __init__(self, code, message):
        super().__init__(f"error {code}: {message}")
        self.code = code


def story(function):
    """Registers a story under its function's name."""
    STORIES[function.__name__] = function
    return function


def expect(what, found, wanted):
    if found != wanted:
        raise Different(f"{what}: found {found!r}, expected {wanted!r}")


def expect_text(result, wanted):
    """Checks a result of a tool that is one text, and no error."""
    expect("isError", result.get("isError", False), False)
    expect("content", [block.get("text") for block in result["content"]], [wanted])


async def first(event, call):
    """Waits for an event, or the end of a call that was to bring it."""
    waiting = asyncio.ensure_future(event)
    await asyncio.wait({waiting, call}, return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()


class User:
    """Gives a name to a guest, and none to a ghost."""

    def __init__(self):
        self.asked = []

    def answer(self, question):
        """Takes the params of a question and returns the members of an answer."""
        self.asked.append(question)
        if question["message"] == "What is the name of the guest?":
            return {"action": "accept", "content": {"name": "Ada"}}
        return {"action": "decline"}


@story
async def connect(peer, era):
    expect("revision", peer.revision, "2026-07-28" if era == "modern" else "2025-11-25")
    expect("name", peer.server["name"], "eras")
    for kind in ("tools", "prompts", "resources"):
        if peer.capabilities.get(kind) is None:
            raise Different(f"capability {kind} is missing")


@story
async def lists(peer, era):
    tools = {tool["name"]: tool for tool in await peer.tools()}
    wanted = {"add", "greet", "count", "proceed", "slow", "was_cancelled", "fail", "change"}
    expect("tools that are missing", sorted(wanted - tools.keys()), [])
    arguments = tools["add"]["inputSchema"]["properties"]
    types = {name: arguments[name]["type"] for name in arguments}
    expect("arguments", types, {"a": "integer", "b": "integer"})
    expect("prompts", [prompt["name"] for prompt in await peer.prompts()], ["brief"])
    expect("resources", [resource["uri"] for resource in await peer.resources()], ["mem://note"])
    templates = [template["uriTemplate"] for template in await peer.templates()]
    expect("templates", templates, ["mem://greeting/{name}"])


@story
async def call(peer, era):
    result = await peer.call("add", {"a": 40, "b": 2})
    expect("isError", result.get("isError", False), False)
    expect("structuredContent", result.get("structuredContent"), {"sum": 42})


@story
async def ask(peer, era):
    peer.user.asked.clear()
    expect_text(await peer.call("greet", {"whom": "guest"}), "Hello, Ada!")
    questions = [question["message"] for question in peer.user.asked]
    expect("questions", questions, ["What is the name of the guest?"])
    schema = peer.user.asked[0]["requestedSchema"]
    expect("type of name", schema["properties"]["name"]["type"], "string")
    expect("required", schema.get("required"), ["name"])


@story
async def decline(peer, era):
    expect_text(await peer.call("greet", {"whom": "ghost"}), "Nobody to greet: decline.")


@story
async def prompt(peer, era):
    messages = (await peer.prompt("brief", {"topic": "birds"}))["messages"]
    found = [(message["role"], message["content"].get("text")) for message in messages]
    expect("messages", found, [("user", "Write a brief about birds.")])


@story
async def resource(peer, era):
    for uri, text in (("mem://note", "A note."), ("mem://greeting/Bo", "Hello, Bo!")):
        contents = (await peer.read(uri))["contents"]
        expect("contents", [(item["uri"], item.get("text")) for item in contents], [(uri, text)])


@story
async def progress(peer, era):
    """The call ends once it is told that its last update has come."""
    ticket = f"python {peer.revision} {id(peer)}"
    seen = []
    complete = asyncio.Event()

    async def record(done, total, message):
        seen.append((done, total, message))
        if done == total:
            complete.set()

    counting = asyncio.ensure_future(peer.call("count", {"ticket": ticket}, record))
    await first(complete.wait(), counting)
    expect("progress", seen, [(1, 3, "1 of 3"), (2, 3, "2 of 3"), (3, 3, "3 of 3")])
    expect_text(await peer.call("proceed", {"ticket": ticket}), "proceeding")
    expect_text(await counting, "counted")


@story
async def cancel(peer, era):
    """The call is given up once the server says that it works on it."""
    ticket = f"python {peer.revision} {id(peer)}"
    started = asyncio.Event()

    async def notice(done, total, message):
        started.set()

    abandoned = asyncio.ensure_future(peer.call("slow", {"ticket": ticket}, notice))
    await first(started.wait(), abandoned)
    if not started.is_set():
        raise Different(f"the slow tool ended by itself: {abandoned.result()!r}")
    await peer.give_up(abandoned)
    expect_text(await peer.call("was_cancelled", {"ticket": ticket}), "cancelled")
    expect_text(await peer.call("was_cancelled", {"ticket": "nobody's"}), "unknown")


@story
async def listen(peer, era):
    async with peer.listening() as heard:
        expect_text(await peer.call("change", {}), "changed")
        await heard()


@story
async def unknown_tool(peer, era):
    try:
        result = await peer.call("nope", {})
    except Refused as refused:
        return expect("error code", refused.code, -32602)
    raise Different(f"expected an error, found {result!r}")


@story
async def failing_tool(peer, era):
    result = await peer.call("fail", {})
    expect("isError", result.get("isError"), True)
    if "out of paper" not in result["content"][0]["text"]:
        raise Different(f"text: found {result['content'][0]['text']!r}")


def cause(error):
    """Returns the first plain exception inside nested groups."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def report(name, error):
    what = str(error) if isinstance(error, (Different, Refused)) else repr(error)
    print(f"FAIL {name}: {' '.join(what.split())}", flush=True)


async def run(connecting, era):
    """Runs every story on one connection; returns whether all passed."""
    passed = True
    remaining = [*STORIES]
    try:
        async with connecting as peer:
            while remaining:
                name = remaining.pop(0)
                try:
                    async with asyncio.timeout(TIMEOUT_SECONDS):
                        await STORIES[name](peer, era)
                except Exception as error:
                    passed = False
                    report(name, cause(error))
                else:
                    print(f"ok {name}", flush=True)
    except Exception as error:
        # Nothing can be told without a connection.
        for name in remaining:
            report(name, cause(error))
        if not remaining:
            print(f"the connection did not end well: {cause(error)!r}", file=sys.stderr)
        return False
    return passed


def main(connect, eras):
    """Reads the command line; `connect` takes a URL or a command line, and an era."""
    parser = argparse.ArgumentParser(description="Drive a server of the fixture of the eras.")
    parser.add_argument("--era", required=True, choices=eras)
    parser.add_argument("--stdio", action="store_true", help="the target is a command line")
    parser.add_argument("target", nargs="+", help="a URL, or `-- COMMAND ARGUMENTS`")
    options = parser.parse_args()
    target = options.target if options.stdio else options.target[0]
    return 0 if asyncio.run(run(connect(target, options.era), options.era)) else 1
