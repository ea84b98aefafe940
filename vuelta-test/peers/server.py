"""Serves the provisioning fixture with the Python SDK's low-level server.

The server answers over streamable HTTP at /mcp. Its `requestState` is sealed
by the package's boundary, with the server's name as the audience; the first
key seals and every key opens.

    server.py --port N [--host HOST] --key TEXT [--key TEXT ..] [--name NAME]

Port 0 takes a free port. One line, `listening on URL`, goes to standard
output once requests are served. The server ends on SIGTERM and at the end of
standard input, and so never outlives the process that holds the other end.
"""

import argparse
import os
import signal
import socket
import sys
import threading

import mcp_types as types
import uvicorn
from mcp import MCPError
from mcp.server import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity

NOTE = "note:///"
STATIC = "mem://a"


def form(message, **properties):
    """Builds a form question; each property is a required member."""
    return types.ElicitRequest(
        params=types.ElicitRequestFormParams(
            message=message,
            requested_schema={
                "type": "object",
                "properties": {name: {"type": kind} for name, kind in properties.items()},
                "required": list(properties),
            },
        )
    )


def missing_capability(request, declared):
    """Returns the capability that `request` needs and the client lacks."""
    if isinstance(request, types.CreateMessageRequest):
        return None if declared.sampling else {"sampling": {}}
    if isinstance(request, types.ListRootsRequest):
        return None if declared.roots else {"roots": {}}
    modes = declared.elicitation
    if request.params.mode == "url":
        return None if modes and modes.url else {"elicitation": {"url": {}}}
    # An empty elicitation capability stands for form mode.
    usable = modes is not None and (modes.form is not None or modes.url is None)
    return None if usable else {"elicitation": {"form": {}}}


def ask(ctx, state, **requests):
    """Ends the round with questions, or with state alone when there are none.

    The low-level server sends questions as they are, so the specification's
    rule against questions that the client did not declare is applied here.
    """
    declared = ctx.session.client_capabilities or types.ClientCapabilities()
    for key, request in requests.items():
        if needed := missing_capability(request, declared):
            raise MCPError(
                types.MISSING_REQUIRED_CLIENT_CAPABILITY,
                f"Client did not declare the capability that question '{key}' needs",
                {"requiredCapabilities": needed},
            )
    return types.InputRequiredResult(input_requests=requests or None, request_state=state)


def answer(params, key, kind=types.ElicitResult):
    """Returns the answer to `key` when it is one of `kind`."""
    given = (params.input_responses or {}).get(key)
    return given if isinstance(given, kind) else None


def field(params, key, name, kind=str):
    """Returns one accepted member of the form `key`, or None."""
    given = answer(params, key)
    if given is None or given.action != "accept":
        return None
    value = (given.content or {}).get(name)
    return value if isinstance(value, kind) else None


def argument(params, name, kind):
    """Returns a required tool argument of the given type."""
    value = (params.arguments or {}).get(name)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise MCPError(types.INVALID_PARAMS, f"Argument '{name}' must be of type {kind.__name__}")
    return value


def text(value, **more):
    """Builds a tool result with one text block."""
    return types.CallToolResult(content=[types.TextContent(text=value)], **more)


async def provision(ctx, params):
    database = argument(params, "name", str)
    if params.request_state == "provision-v1" and (given := answer(params, "region")):
        if given.action != "accept":
            return text(f"Not provisioned: {given.action}.")
        if region := field(params, "region", "region"):
            return text(f"Provisioned {database} in {region}.")
    question = form("Which region should the database live in?", region="string")
    return ask(ctx, "provision-v1", region=question)


async def three_kinds(ctx, params):
    age = field(params, "age", "age", int)
    sampled = answer(params, "capital", types.CreateMessageResult)
    roots = answer(params, "roots", types.ListRootsResult)
    if params.request_state == "three" and None not in (age, sampled, roots):
        return text(f"{age}/{sampled.content.text}/{len(roots.roots)}")
    capital = types.CreateMessageRequest(
        params=types.CreateMessageRequestParams(
            messages=[
                types.SamplingMessage(
                    role="user", content=types.TextContent(text="Capital of France?")
                )
            ],
            max_tokens=16,
        )
    )
    return ask(
        ctx,
        "three",
        age=form("How old?", age="integer"),
        capital=capital,
        roots=types.ListRootsRequest(),
    )


async def steps(ctx, params):
    state = params.request_state or ""
    first = field(params, "first", "value") if state == "1" else None
    if state.startswith("2:"):
        first = state.removeprefix("2:")
        second = field(params, "second", "value")
        if second is not None:
            return text(f"{first},{second}")
    if first is None:
        return ask(ctx, "1", first=form("First?", value="string"))
    return ask(ctx, f"2:{first}", second=form("Second?", value="string"))


async def wait(ctx, params):
    if params.request_state == "w2":
        return text("waited 2")
    return ask(ctx, "w2" if params.request_state == "w1" else "w1")


async def ask_url(ctx, params):
    given = answer(params, "auth")
    if given is not None and given.action == "accept":
        return text("signed in")
    question = types.ElicitRequest(
        params=types.ElicitRequestURLParams(message="Sign in", url="https://example.com/sign-in")
    )
    return ask(ctx, None, auth=question)


async def add(ctx, params):
    total = argument(params, "a", int) + argument(params, "b", int)
    return text(str(total), structured_content={"sum": total})


async def progress(ctx, params):
    for done in (1, 2, 3):
        await ctx.session.report_progress(done, 3)
    return text("done")


# Each tool with the JSON types of its arguments; all are required.
TOOLS = {
    "provision": (provision, {"name": "string"}),
    "three_kinds": (three_kinds, {}),
    "steps": (steps, {}),
    "wait": (wait, {}),
    "ask_url": (ask_url, {}),
    "add": (add, {"a": "integer", "b": "integer"}),
    "progress": (progress, {}),
}


async def list_tools(ctx, params):
    return types.ListToolsResult(
        tools=[
            types.Tool(
                name=name,
                input_schema={
                    "type": "object",
                    "properties": {key: {"type": kind} for key, kind in arguments.items()},
                    "required": list(arguments),
                },
            )
            for name, (_, arguments) in TOOLS.items()
        ]
    )


async def call_tool(ctx, params):
    if params.name not in TOOLS:
        raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {params.name}")
    handler, _ = TOOLS[params.name]
    return await handler(ctx, params)


async def list_prompts(ctx, params):
    return types.ListPromptsResult(prompts=[types.Prompt(name="briefing")])


async def get_prompt(ctx, params):
    if params.name != "briefing":
        raise MCPError(types.INVALID_PARAMS, f"Unknown prompt: {params.name}")
    audience = field(params, "audience", "audience")
    if params.request_state == "briefing-v1" and audience is not None:
        content = types.TextContent(text=f"Write a briefing for {audience}.")
        return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=content)])
    question = form("Who is the briefing for?", audience="string")
    return ask(ctx, "briefing-v1", audience=question)


async def list_resources(ctx, params):
    return types.ListResourcesResult(resources=[types.Resource(name="a", uri=STATIC)])


async def list_templates(ctx, params):
    template = types.ResourceTemplate(name="note", uri_template=NOTE + "{name}")
    return types.ListResourceTemplatesResult(resource_templates=[template])


async def read_resource(ctx, params):
    uri = params.uri
    if uri == STATIC:
        content = "a"
    elif uri.startswith(NOTE):
        lang = field(params, "lang", "lang")
        if params.request_state != "note-v1" or lang is None:
            return ask(ctx, "note-v1", lang=form("Which language?", lang="string"))
        content = f"{uri.removeprefix(NOTE)} in {lang}"
    else:
        raise MCPError(types.INVALID_PARAMS, f"Unknown resource: {uri}", {"uri": uri})
    return types.ReadResourceResult(
        contents=[types.TextResourceContents(uri=uri, mime_type="text/plain", text=content)]
    )


def build(name, keys):
    """Builds the fixture with the boundary innermost, next to the handlers."""
    server = Server(
        name,
        version="1.2.3",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
    )
    security = RequestStateSecurity(keys=keys)
    server.middleware.append(RequestStateBoundary(security, default_audience=name))
    return server


class Listener(uvicorn.Server):
    """Says where it listens, and stops when standard input ends."""

    async def startup(self, sockets=None):
        await super().startup(sockets)
        if self.started:
            host, port = sockets[0].getsockname()[:2]
            print(f"listening on http://{host}:{port}/mcp", flush=True)

    def stop_at_end_of_input(self):
        # Reads the descriptor itself: a thread blocked inside `sys.stdin`
        # would hold its lock while the interpreter shuts down.
        while os.read(sys.stdin.fileno(), 4096):
            pass
        self.should_exit = True


def main():
    parser = argparse.ArgumentParser(description="Serve the provisioning fixture.")
    parser.add_argument("--port", type=int, required=True, help="0 takes a free port")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--key", action="append", required=True, help="at least 32 bytes")
    parser.add_argument("--name", default="wire-server", help="also the audience of the state")
    options = parser.parse_args()

    app = build(options.name, options.key).streamable_http_app(host=options.host)
    listener = Listener(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1))
    # The listener raises the signal again after its own shutdown; ending on
    # request is a success.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: sys.exit(0))
    threading.Thread(target=listener.stop_at_end_of_input, daemon=True).start()
    listener.run(sockets=[socket.create_server((options.host, options.port))])


if __name__ == "__main__":
    main()
