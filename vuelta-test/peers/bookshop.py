"""Drives the example `bookshop` of the high-level server.

    bookshop.py URL [--only NAME ..] [--list]

Prints one line a scenario, as `client.py` does, whose connection and checks it uses.
"""

import sys

import client as fixture
import mcp_types as types
from client import User, accept, connect, error_of, expect, expect_text

fixture.SCENARIOS.clear()
scenario = fixture.scenario

BACKORDER = "'Neuromancer' is out of stock (2-3 weeks). Order anyway?"
SUGGEST = "Suggest one noir book title. Answer with the title only."


@scenario
async def resolved_parameters_are_not_in_the_schema(url):
    async with connect(url) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        expect(list(tools["order_book"].input_schema["properties"]), ["title"], "properties")
        expect(tools["order_book"].description, "Order a book from the shop.", "description")


@scenario
async def stock(url):
    async with connect(url) as client:
        expect_text(
            await client.call_tool("reserve_book", {"title": "Dune", "stock": {"copies": 99}}),
            "Reserved 'Dune' (6 copies left).",
        )


@scenario
async def delivery_without_a_question(url):
    user = User({})
    async with connect(url, user) as client:
        result = await client.call_tool("order_book", {"title": "Dune"})
        expect_text(result, "Ordered 'Dune'; it arrives tomorrow.")
        expect(user.messages, [], "questions")


@scenario
async def backorder_is_asked_once(url):
    user = User({BACKORDER: accept(confirm=True)})
    async with connect(url, user) as client:
        result = await client.call_tool("order_book", {"title": "Neuromancer"})
        expect_text(result, "Backordered 'Neuromancer'; it arrives in 2-3 weeks.")
        expect(user.messages, [BACKORDER], "questions")


@scenario
async def an_answer_of_no(url):
    user = User({BACKORDER: accept(confirm=False)})
    async with connect(url, user) as client:
        result = await client.call_tool("order_book", {"title": "Neuromancer"})
        expect_text(result, "No order placed.")


@scenario
async def declined_and_unwrapped(url):
    user = User({BACKORDER: types.ElicitResult(action="decline")})
    async with connect(url, user) as client:
        result = await client.call_tool("order_book", {"title": "Neuromancer"})
        expect(result.is_error, True, "is_error")
        expect(
            result.content[0].text,
            "Error executing tool order_book: Resolver for parameter 'backorder' could not "
            "resolve: elicitation was decline",
            "text",
        )


@scenario
async def declined_and_branched(url):
    for action, text in [
        ("decline", "Instead of 'Neuromancer', how about 'Dune'?"),
        ("cancel", "Nothing was ordered."),
    ]:
        user = User({BACKORDER: types.ElicitResult(action=action)})
        async with connect(url, user) as client:
            result = await client.call_tool("order_or_suggest", {"title": "Neuromancer"})
            expect_text(result, text)


@scenario
async def sampled(url):
    asked = []

    async def sample(context, params):
        asked.append(params.messages[0].content.text)
        return types.CreateMessageResult(
            role="assistant",
            content=types.TextContent(type="text", text="The Big Sleep"),
            model="m",
        )

    async with connect(url, sampling_callback=sample) as client:
        result = await client.call_tool("recommend_book", {"genre": "noir"})
        expect_text(result, "Today's noir pick: The Big Sleep")
        expect(asked, [SUGGEST], "samplings")


@scenario
async def roots(url):
    async def list_roots(context):
        return types.ListRootsResult(roots=[types.Root(uri="file:///books")])

    async with connect(url, list_roots_callback=list_roots) as client:
        expect_text(await client.call_tool("count_shelves"), "1 shelves")


@scenario
async def missing_capabilities(url):
    async with connect(url) as client:
        for tool, arguments, missing in [
            ("order_book", {"title": "Neuromancer"}, {"elicitation": {"form": {}}}),
            ("recommend_book", {"genre": "noir"}, {"sampling": {}}),
            ("count_shelves", {}, {"roots": {}}),
        ]:
            data = await error_of(
                client.call_tool(tool, arguments), types.MISSING_REQUIRED_CLIENT_CAPABILITY
            )
            expect(data, {"requiredCapabilities": missing}, tool)


@scenario
async def invalid_arguments(url):
    async with connect(url) as client:
        result = await client.call_tool("reserve_book", {"title": 5})
        expect(result.is_error, True, "is_error")
        expect(
            result.content[0].text,
            "Invalid arguments for tool reserve_book:\n- title: expected string, got integer",
            "text",
        )


if __name__ == "__main__":
    sys.exit(fixture.main())
