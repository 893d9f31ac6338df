"""The command `serve-mosaic`."""

from __future__ import annotations

import socket
from importlib.util import find_spec
from typing import Annotated

import typer

from memtriage.cli.app import app, command, say
from memtriage.core.errors import BadInput, install_extra


@command(app, "serve-mosaic")
def serve_mosaic(
    store: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="Where memories are kept: me.mosaic, postgresql://…, or :memory: for this time only."
        ),
    ],
    user: Annotated[str, typer.Option(help="Whose memory; a file has one for each name.")] = "",
    port: Annotated[
        int | None, typer.Option(min=1, max=65535, help="Serve over HTTP on 127.0.0.1 instead of stdio.")
    ] = None,
) -> None:
    """Serve the memory mosaic to assistants over MCP: Claude Desktop, Cursor, VS Code and others."""
    if not find_spec("mcp"):
        raise BadInput(f"an MCP server needs the package mcp; install it with: {install_extra('mcp')}")
    from memtriage.mosaic import MosaicMemory
    from memtriage.mosaic.mcp_server import mosaic_server, serve_http

    listening = None if port is None else _listening(port)  # before a file is made
    memory = MosaicMemory() if store == ":memory:" else MosaicMemory.open(store, user=user)
    server = mosaic_server(memory)
    if listening is None:
        server.run("stdio")
    else:
        say(f"http://127.0.0.1:{port}/mcp; Ctrl-C ends it")
        serve_http(server, listening)


def _listening(port: int) -> socket.socket:
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(("127.0.0.1", port))
        listening.listen(128)
    except OSError as error:
        listening.close()
        raise BadInput(f"port {port} can't be used: {error.strerror}; choose another one with --port") from None
    return listening
