"""Tells the stories of the eras with the client of the Python SDK 1.

    client_v1.py --era legacy URL
    client_v1.py --era legacy --stdio -- COMMAND ARGUMENTS
"""

import asyncio
import sys
from contextlib import asynccontextmanager, suppress

import stories
from mcp import ClientSession, McpError, StdioServerParameters, types
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client


def wire(model):
    return model.model_dump(by_alias=True, mode="json", exclude_none=True)


class Peer:
    """The SDK's client in the words of the stories."""

    def __init__(self, user):
        self.user = user
        self.session = None
        self.initialized = None
        self.working_on = None
        self.changed = asyncio.Event()

    async def elicit(self, context, params):
        return types.ElicitResult(**self.user.answer(wire(params)))

    async def message(self, message):
        if not isinstance(message, types.ServerNotification):
            return
        notification = message.root
        if isinstance(notification, types.ToolListChangedNotification):
            self.changed.set()
        # The token that this SDK chooses is the id of the request.
        if isinstance(notification, types.ProgressNotification):
            self.working_on = notification.params.progressToken

    @property
    def revision(self):
        return self.initialized.protocolVersion

    @property
    def server(self):
        return wire(self.initialized.serverInfo)

    @property
    def capabilities(self):
        return wire(self.initialized.capabilities)

    async def tools(self):
        return wire(await self.session.list_tools())["tools"]

    async def prompts(self):
        return wire(await self.session.list_prompts())["prompts"]

    async def resources(self):
        return wire(await self.session.list_resources())["resources"]

    async def templates(self):
        return wire(await self.session.list_resource_templates())["resourceTemplates"]

    async def call(self, name, arguments, on_progress=None):
        try:
            result = await self.session.call_tool(name, arguments, progress_callback=on_progress)
        except McpError as error:
            raise stories.Refused(error.error.code, error.error.message) from error
        return wire(result)

    async def prompt(self, name, arguments):
        return wire(await self.session.get_prompt(name, arguments))

    async def read(self, uri):
        return wire(await self.session.read_resource(uri))

    async def give_up(self, call):
        # This SDK leaves it to its user to tell the server.
        params = types.CancelledNotificationParams(requestId=self.working_on)
        notification = types.CancelledNotification(params=params)
        await self.session.send_notification(types.ClientNotification(notification))
        call.cancel()
        with suppress(asyncio.CancelledError):
            await call

    @asynccontextmanager
    async def listening(self):
        self.changed.clear()
        yield self.changed.wait


def streams(target):
    if isinstance(target, str):
        return streamable_http_client(target)
    return stdio_client(StdioServerParameters(command=target[0], args=target[1:]))


@asynccontextmanager
async def connect(target, era):
    peer = Peer(stories.User())
    async with (
        streams(target) as (read, write, *_),
        ClientSession(
            read,
            write,
            elicitation_callback=peer.elicit,
            message_handler=peer.message,
        ) as session,
    ):
        peer.session = session
        peer.initialized = await session.initialize()
        yield peer


if __name__ == "__main__":
    sys.exit(stories.main(connect, ["legacy"]))
