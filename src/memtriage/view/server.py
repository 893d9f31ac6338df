"""The local server: it reads, and does nothing else.

Who has not got the link that was printed gets nothing: its token becomes a cookie. A request must name this machine as
its host, so that no page from elsewhere can ask under a name of its own (DNS rebinding). Runs are looked up among those
that are listed; no path of a request ever becomes the path of a file.
"""

from __future__ import annotations

import ipaddress
import secrets
import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from memtriage.core.errors import BadInput, MemtriageError
from memtriage.view.index import RunIndex, as_json
from memtriage.view.library import Library
from memtriage.view.pages import ASSETS, POLICY, SERVED, list_page, message_page, run_page, waiting_page

HEADERS = {
    "Content-Security-Policy": f"{POLICY}; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_LONGEST_SEARCH = 200


class Guard:
    """Lets a request through if it only reads, names this machine, and has the token or its cookie.

    `once` is a token that opens the door a single time: a browser that is started gets its link as an argument, which
    everybody on the machine can see.
    """

    def __init__(self, app: ASGIApp, token: str, host: str, port: int, once: str = "") -> None:
        self._app, self._token, self._host, self._once = app, token, host, once
        self._cookie = f"memtriage-{port}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        request = Request(scope)
        refused = self._refused(request)

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] += [(name.lower().encode(), text.encode()) for name, text in HEADERS.items()]
            await send(message)

        await (refused or self._app)(scope, receive, guarded)

    def _refused(self, request: Request) -> Response | None:
        if request.method not in ("GET", "HEAD"):
            return _message(405, "Only for reading", "This server only reads runs.")
        if not self._is_ours(request.headers.get("host", "")):
            return _message(421, "Another host", "This server only answers to the name of this machine.")
        given = request.query_params.get("token")
        if given is not None and (self._is_right(given) or self._is_first(given)):
            there = str(request.url.remove_query_params("token").replace(scheme="", netloc=""))
            reply = RedirectResponse("/" + there.lstrip("/"), 303)  # two slashes would be another host
            reply.set_cookie(self._cookie, self._token, httponly=True, samesite="lax")
            return reply
        if not self._is_right(request.cookies.get(self._cookie, "")):
            return _message(403, "No entry", "Open the link that memtriage view printed; its token is not in this one.")
        return None

    def _is_first(self, token: str) -> bool:
        if not self._once or not secrets.compare_digest(token.encode(), self._once.encode()):
            return False
        self._once = ""
        return True

    def _is_right(self, token: str) -> bool:
        return secrets.compare_digest(token.encode(), self._token.encode())

    def _is_ours(self, host: str) -> bool:
        """Whether a Host header has an address, localhost or the host that was named; other names may be anybody's."""
        name = host.rpartition(":")[0] if not host.endswith("]") and ":" in host else host
        name = name.strip("[]").lower()
        if name in ("localhost", self._host.lower()):
            return True
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            return False
        return address.is_loopback or not _is_loopback(self._host)


def application(library: Library, token: str, host: str = "127.0.0.1", port: int = 0, once: str = "") -> Guard:
    """The server as an ASGI application."""
    return Guard(_routes(library), token, host, port, once)


def _routes(library: Library) -> Starlette:
    def home(request: Request) -> Response:
        return RedirectResponse("/index.html", 303)

    def runs(request: Request) -> Response:
        listed = library.runs.listed()
        return _html(list_page(listed, library.summaries(listed), live=True))

    def asset(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in SERVED:
            return _message(404, "Not here", "There is no such page.")
        return Response(ASSETS[name], media_type=SERVED[name])

    def folder(request: Request) -> Response:
        return RedirectResponse(f"{request.url.path.rstrip('/')}/index.html", 303)

    def run(request: Request) -> Response:
        found = library.runs.get(request.path_params["id"])
        if found is None:
            return _message(404, "No such run", "It is not, or no longer, below the folders that are shown.", "../../")
        index = library.index(found)
        if index is not None:
            return _html(run_page(index.kept("page"), found))
        status = library.status(found)
        if status["state"] == "failed":
            return _message(200, found.name, status["told"], "../../")
        return _html(waiting_page(found, status))

    def state(request: Request) -> Response:
        found = library.runs.get(request.path_params["id"])
        return _json(library.status(found)) if found else _plain(404, "there is no such run")

    def document(make: Callable[[RunIndex, Request], bytes | None]) -> Callable[[Request], Response]:
        def reply(request: Request) -> Response:
            found = library.runs.get(request.path_params["id"])
            index = library.index(found) if found else None
            if index is None:
                return _plain(404, "there is no such run, or it was graded anew; open it again from the list")
            content = make(index, request)
            return (
                _plain(404, "there is no such question")
                if content is None
                else Response(content, media_type="application/json")
            )

        return reply

    def columns(index: RunIndex, request: Request) -> bytes:
        return index.kept("columns")

    def question(index: RunIndex, request: Request) -> bytes | None:
        content = index.question(request.path_params["number"])
        return None if content is None else as_json(content)

    def memories(index: RunIndex, request: Request) -> bytes:
        return as_json(index.search(request.query_params.get("q", "")[:_LONGEST_SEARCH]))

    def compared(request: Request) -> Response:
        a, x, b, y = (request.query_params.get(name, "") for name in "axby")
        return _html(library.compared((a, x, b, y)))

    def wrong(request: Request, error: Exception) -> Response:
        return _message(500, "This can't be shown", str(error))

    def missing(request: Request, error: Exception) -> Response:
        return _message(404, "Not here", "There is no such page.")

    return Starlette(
        routes=[
            Route("/", home),
            Route("/index.html", runs),
            Route("/assets/{name}", asset),
            Route("/r/{id}", folder),
            Route("/r/{id}/", folder),
            Route("/r/{id}/index.html", run),
            Route("/r/{id}/state.json", state),
            Route("/r/{id}/columns.json", document(columns)),
            Route("/r/{id}/memories.json", document(memories)),
            Route("/r/{id}/q/{number:int}.json", document(question)),
            Route("/compare/index.html", compared),
        ],
        exception_handlers={MemtriageError: wrong, OSError: wrong, 404: missing},
    )


def _html(page: str, status: int = 200) -> Response:
    return HTMLResponse(page.encode("utf-8", "replace"), status)


def _json(content: object) -> Response:
    return Response(as_json(content), media_type="application/json")


def _plain(status: int, text: str) -> Response:
    return PlainTextResponse(text, status)


def _message(status: int, title: str, text: str, home: str = "/") -> Response:
    return _html(message_page(title, text, home), status)


def _is_loopback(host: str) -> bool:
    with suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return host == "localhost"


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens; BadInput if the port is taken, or the host is not this machine's."""
    opened = None
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        opened = socket.socket(family, socket.SOCK_STREAM)
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind(address)
        opened.listen()
    except OSError as error:
        if opened is not None:
            opened.close()
        told = f"can't listen on {host} port {port} ({error.strerror or error})"
        raise BadInput(f"{told}; choose another one, or any free one: --port 0") from error
    return opened


def serve(roots: list[Path], host: str, port: int, ready: Callable[[str, str, bool, bool], None]) -> None:
    """Serve until Ctrl-C.

    `ready` is told the link, one that works once, whether other machines can reach it, and whether there are runs.
    """
    library = Library(roots)
    with listen(host, port) as opened:
        port = opened.getsockname()[1]
        token, once = secrets.token_urlsafe(18), secrets.token_urlsafe(18)
        app = application(library, token, host, port, once)
        # no log of requests, as the first one has the token in it
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            server_header=False,
            lifespan="off",
            ws="none",
            timeout_graceful_shutdown=2,
        )
        shown = f"[{host}]" if ":" in host else host
        place = f"http://{shown}:{port}/?token="
        ready(place + token, place + once, not _is_loopback(host), bool(library.runs.listed()))
        with suppress(KeyboardInterrupt):
            uvicorn.Server(config).run(sockets=[opened])
