"""What both Python servers of the eras share: how they are served, and whom they let wait.

    server_vN.py            over HTTP: one line, `listening on URL`, once requests are served
    server_vN.py --stdio    over standard streams

The server ends at the end of standard input, and so never outlives who started it.
"""

import asyncio
import os
import signal
import socket
import sys
import threading

import uvicorn

# How long `was_cancelled` waits until it says that a call still runs.
PATIENCE_SECONDS = 5


class Tickets:
    """Calls that wait, by the ticket that each was given."""

    def __init__(self):
        self.counts = {}
        self.ends = {}

    async def count(self, ticket):
        """Waits until the count may go on."""
        await self.counts.setdefault(ticket, asyncio.Event()).wait()

    def proceed(self, ticket):
        self.counts.setdefault(ticket, asyncio.Event()).set()

    async def work(self, ticket):
        """Works until the call is cancelled."""
        end = self.ends.setdefault(ticket, asyncio.Event())
        try:
            await asyncio.Event().wait()
        finally:
            end.set()

    async def was_cancelled(self, ticket):
        if ticket not in self.ends:
            return "unknown"
        try:
            await asyncio.wait_for(self.ends[ticket].wait(), PATIENCE_SECONDS)
        except TimeoutError:
            return "still running"
        return "cancelled"


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


def main(server):
    """Serves over what the command line names."""
    if sys.argv[1:] == ["--stdio"]:
        server.run("stdio")
        return
    app = server.streamable_http_app()
    listener = Listener(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1))
    # The listener raises the signal again after its own shutdown; ending on
    # request is a success.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: sys.exit(0))
    threading.Thread(target=listener.stop_at_end_of_input, daemon=True).start()
    listener.run(sockets=[socket.create_server(("127.0.0.1", 0))])
