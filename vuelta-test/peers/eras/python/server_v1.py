"""Serves the fixture of the eras with the Python SDK 1; see `serving.py` for how."""

from typing import Literal

import serving
from mcp.server.fastmcp import Context, FastMCP
from mcp.server.fastmcp.exceptions import ToolError
from pydantic import BaseModel

tickets = serving.Tickets()
mcp = FastMCP("eras", log_level="WARNING")


class Sum(BaseModel):
    sum: int


class Name(BaseModel):
    name: str


@mcp.tool()
def add(a: int, b: int) -> Sum:
    """Adds two numbers."""
    return Sum(sum=a + b)


@mcp.tool()
async def greet(whom: Literal["guest", "ghost"], ctx: Context) -> str:
    """Asks for a name, and greets who has it."""
    answer = await ctx.elicit(f"What is the name of the {whom}?", Name)
    if answer.action == "accept":
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
    """Says that there are other tools now."""
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
