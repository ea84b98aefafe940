"""Tells the stories of the eras with the client of the Python SDK 2.

    client_v2.py --era modern|legacy URL
    client_v2.py --era modern|legacy --stdio -- COMMAND ARGUMENTS
"""

import asyncio
import sys
from contextlib import asynccontextmanager, suppress

import mcp_types as types
import stories
from mcp import Client, MCPError, StdioServerParameters


def wire(model):
    return model.model_dump(by_alias=True, mode="json", exclude_none=True)


class Peer:
    """The SDK's client in the words of the stories."""

    def __init__(self, user):
        self.user = user
        self.client = None
        self.changed = asyncio.Event()

    async def elicit(self, context, params):
        return types.ElicitResult(**self.user.answer(wire(params)))

    async def message(self, message):
        if isinstance(message, types.ToolListChangedNotification):
            self.changed.set()

    @property
    def revision(self):
        return self.client.protocol_version

    @property
    def server(self):
        return wire(self.client.server_info)

    @property
    def capabilities(self):
        return wire(self.client.server_capabilities)

    async def tools(self):
        return wire(await self.client.list_tools())["tools"]

    async def prompts(self):
        return wire(await self.client.list_prompts())["prompts"]

    async def resources(self):
        return wire(await self.client.list_resources())["resources"]

    async def templates(self):
        return wire(await self.client.list_resource_templates())["resourceTemplates"]

    async def call(self, name, arguments, on_progress=None):
        try:
            result = await self.client.call_tool(name, arguments, progress_callback=on_progress)
        except MCPError as error:
            raise stories.Refused(error.code, error.message) from error
        return wire(result)

    async def prompt(self, name, arguments):
        return wire(await self.client.get_prompt(name, arguments))

    async def read(self, uri):
        return wire(await self.client.read_resource(uri))

    async def give_up(self, call):
        call.cancel()
        with suppress(asyncio.CancelledError):
            await call

    @asynccontextmanager
    async def listening(self):
        if self.revision == "2026-07-28":
            async with self.client.listen(tools_list_changed=True) as changes:
                stories.expect("honoured", changes.honored.tools_list_changed, True)
                yield lambda: anext(aiter(changes))
        else:
            self.changed.clear()
            yield self.changed.wait


@asynccontextmanager
async def connect(target, era):
    if not isinstance(target, str):
        target = StdioServerParameters(command=target[0], args=target[1:])
    peer = Peer(stories.User())
    async with Client(
        target,
        mode="auto" if era == "modern" else "legacy",
        elicitation_callback=peer.elicit,
        message_handler=peer.message,
    ) as client:
        peer.client = client
        yield peer


if __name__ == "__main__":
    sys.exit(stories.main(connect, ["modern", "legacy"]))
