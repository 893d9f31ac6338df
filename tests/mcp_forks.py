"""The MCP server of the tests, many times over: forks of one process that has imported the SDK, which takes a second.

`python mcp_forks.py serve SOCKET` is that process, and ends when its stdin does. `python -I -S mcp_forks.py SOCKET
KIND` is a server to whoever starts it: it hands its stdin, stdout and stderr to a fork, and each ends with the other.
"""

from __future__ import annotations

import json
import os
import socket
import sys

LONGEST = 1 << 20


def command() -> str:
    """What starts a server, as a user would write it, but for its kind."""
    return f"{sys.executable} -I -S {__file__} {_forks()}"


def _forks() -> str:
    """The socket of the process that servers are forked from, which is started once and ends with this one."""
    import atexit
    import subprocess
    import tempfile

    if not _running:
        folder = tempfile.TemporaryDirectory(prefix="mcp-")
        path = f"{folder.name}/socket"
        told = [sys.executable, __file__, "serve", path]
        process = subprocess.Popen(told, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        atexit.register(folder.cleanup)
        atexit.register(process.communicate)
        _running.append(path)
    return _running[0]


_running: list[str] = []


def start(path: str, kind: str) -> None:
    """Be a server, in name: a fork does the work."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(path)
        told = json.dumps({"kind": kind, "environment": dict(os.environ), "cwd": os.getcwd()}).encode()
        socket.send_fds(connection, [b"%d\n" % len(told)], [0, 1, 2])
        connection.sendall(told)
        for file in (0, 1, 2):  # or the other side would not see that the server has gone
            os.close(file)
        connection.recv(1)


def serve(path: str) -> None:
    """Fork a server for everyone who asks."""
    import gc
    import select

    import mcp.server.mcpserver  # noqa: F401

    gc.freeze()  # so that servers leave untouched, and share, what is there already
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path)
        listening.listen(64)
        print("ready", flush=True)
        while listening in select.select([listening, 0], [], [])[0]:
            connection, _ = listening.accept()
            if os.fork() == 0:
                _become(connection)
            connection.close()
            _reap()


def _reap() -> None:
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def _become(connection: socket.socket) -> None:
    import runpy
    import threading
    import traceback
    from pathlib import Path

    try:
        head, files, _, _ = socket.recv_fds(connection, 16, 3)
        length, _, told = head.partition(b"\n")
        while len(told) < int(length):
            told += connection.recv(LONGEST)
        request = json.loads(told)
        for number, file in enumerate(files):
            os.dup2(file, number)
            os.close(file)
        os.environ.clear()
        os.environ.update(request["environment"])
        os.chdir(request["cwd"])
        threading.Thread(target=lambda: os._exit(0 if connection.recv(1) else 1), daemon=True).start()
        script = str(Path(__file__).with_name("mcp_server.py"))
        sys.argv = [script, request["kind"]]
        runpy.run_path(script, run_name="__main__")
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(0)


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve(sys.argv[2])
    else:
        start(sys.argv[1], sys.argv[2])
