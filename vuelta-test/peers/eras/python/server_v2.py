"""Serves the fixture of the eras with the Python SDK 2; see `serving.py` for how."""

from typing import Annotated, Literal

import serving
from mcp.server import MCPServer
from mcp.server.mcpserver import AcceptedElicitation, Context, Elicit, ElicitationResult, Resolve
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BaseModel

tickets = serving.Tickets()
mcp = MCPServer("eras", version="1.0.0")


class Sum(BaseModel):
    sum: int


class Name(BaseModel):
    name: str


@mcp.tool()
def add(a: int, b: int) -> Sum:
    """Adds two numbers."""
    return Sum(sum=a + b)


def ask_name(whom: Literal["guest", "ghost"]) -> Elicit[Name]:
    return Elicit(f"What is the name of the {whom}?", Name)


@mcp.tool()
def greet(
    whom: Literal["guest", "ghost"],
    answer: Annotated[ElicitationResult[Name], Resolve(ask_name)],
) -> str:
    """Asks for a name, and greets who has it."""
    if isinstance(answer, AcceptedElicitation):
        return f"Hello, {answer.data.name}!"
    return f"Nobody to greet: {answer.action}."


@mcp.tool()
async def count(ticket: str, ctx: Context) -> str:
    """Counts to three, aloud, and waits until it may end."""
    for done in (1, 2, 3):
        await ctx.report_progress(done, 3, f"{done} of 3")
    await tickets.count(ticket)
    return "counted"


@mcp.tool()
async def proceed(ticket: str) -> str:
    """Lets a call of `count` end."""
    tickets.proceed(ticket)
    return "proceeding"


@mcp.tool()
async def slow(ticket: str, ctx: Context) -> str:
    """Works until it is cancelled."""
    await ctx.report_progress(1)
    await tickets.work(ticket)
    return "never"


@mcp.tool()
async def was_cancelled(ticket: str) -> str:
    """Tells what became of a call of `slow`."""
    return await tickets.was_cancelled(ticket)


@mcp.tool()
def fail() -> str:
    """Fails."""
    raise ToolError("out of paper")


@mcp.tool()
async def change(ctx: Context) -> str:
    """Says that there are other tools now, in both ways."""
    await ctx.notify_tools_changed()
    await ctx.session.send_tool_list_changed()
    return "changed"


@mcp.prompt()
def brief(topic: str) -> str:
    """Asks for a brief."""
    return f"Write a brief about {topic}."


@mcp.resource("mem://note")
def note() -> str:
    """A note."""
    return "A note."


@mcp.resource("mem://greeting/{name}")
def greeting(name: str) -> str:
    """A greeting."""
    return f"Hello, {name}!"


if __name__ == "__main__":
    serving.main(mcp)
