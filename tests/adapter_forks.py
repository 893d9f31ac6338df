"""Starts adapters as forks of one process that has imported already what their library is built on.

    python -P adapter_forks.py FD MODULE…

FD is a socket: it brings a request with the stdin, stdout and stderr of a new adapter, or asks how one ended. When its
other end closes, this process ends. The library itself is imported by each adapter, since it reads the environment.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import runpy
import socket
import sys
import traceback
from typing import Any, NoReturn


def main(control: socket.socket) -> None:
    gc.freeze()  # so that adapters leave untouched, and share, what is there already
    while True:
        message, files, _, _ = socket.recv_fds(control, 1 << 20, 3)
        if not message:
            return
        request = json.loads(message)
        if "wait" in request:
            _, status = os.waitpid(request["wait"], 0)
            told = os.waitstatus_to_exitcode(status)
        else:
            told = os.fork()
            if told == 0:
                _become(request, files)
            for file in files:
                os.close(file)
        control.send(b"%d" % told)


def _become(request: dict[str, Any], files: list[int]) -> NoReturn:
    code = 1
    try:
        for number, file in enumerate(files):
            os.dup2(file, number)
        os.closerange(3, 256)
        os.environ.clear()
        os.environ.update(request["environment"])
        os.chdir(request["cwd"])
        sys.argv = [request["script"]]
        runpy.run_path(request["script"], run_name="__main__")
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    for name in sys.argv[2:]:
        importlib.import_module(name)
    main(socket.socket(fileno=int(sys.argv[1])))
