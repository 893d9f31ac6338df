"""Keeps a command from outliving memtriage: `python -I -S guard.py FD -- command argument…`

The command runs in a process group of its own, with the stdin, stdout and stderr that were given here. FD is one end of
a socket whose other end only memtriage holds: when it closes, for whatever reason, the command and all it started are
ended, gently first. A byte from there ends them at once. The command's way of ending is passed on.
"""

import contextlib
import os
import select
import signal
import sys
import time

PATIENCE = 2.0
_PR_SET_CHILD_SUBREAPER = 36


def main(lifeline: int, command: list[str]) -> None:
    os.set_inheritable(lifeline, False)
    _adopt()
    signals = _signal_pipe()
    try:
        # Python ignores these two signals, and a command would inherit that.
        group = os.posix_spawnp(
            command[0], command, os.environ, setpgroup=0, setsigdef=(signal.SIGPIPE, signal.SIGXFSZ)
        )
    except (OSError, ValueError) as error:
        print(
            f"{command[0]} can't be started: {getattr(error, 'strerror', None) or error}", file=sys.stderr, flush=True
        )
        os._exit(127)
    _let_go_of_stdio()
    with contextlib.suppress(OSError):  # nobody may be there any more, which the lifeline tells in a moment
        os.write(lifeline, b"%d" % group)
    _leave(_watch(group, lifeline, signals))


def _watch(group: int, lifeline: int, signals: int) -> int:
    """How the command ended, by itself or because it had to."""
    while True:
        ready, _, _ = select.select([lifeline, signals], [], [])
        if lifeline in ready:
            return _end(group, 0.0 if _received(lifeline) else PATIENCE)
        if {signal.SIGTERM, signal.SIGHUP, signal.SIGINT} & set(os.read(signals, 64)):
            return _end(group, PATIENCE)
        status = _reap().get(group)
        if status is not None:
            _end(group, PATIENCE)  # what it left behind
            return status


def _end(group: int, patience: float) -> int:
    """End the command and all that came from it; returns how the command ended, if it was still there."""
    ended: dict[int, int] = {}
    until = time.monotonic() + patience
    if patience and _living(group):
        _signal(group, signal.SIGTERM)
        while time.monotonic() < until and _living(group):
            time.sleep(0.01)
            ended |= _reap()
    for _ in range(200):  # again and again, since what is being ended may still start something
        if not _living(group):
            break
        _signal(group, signal.SIGKILL)
        time.sleep(0.005)
        ended |= _reap()
    return ended.get(group, 0)


def _living(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except OSError:
        return bool(_descendants())
    return True


def _signal(group: int, number: int) -> None:
    for kill, target in [(os.killpg, group), *((os.kill, pid) for pid in _descendants())]:
        with contextlib.suppress(OSError):  # it may have ended meanwhile
            kill(target, number)


def _descendants() -> list[int]:
    """All processes that came from here, also those that left the group; empty where there is no /proc."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc") if os.path.isdir("/proc/self") else ():
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    parent = int(file.read().rpartition(b")")[2].split()[1])
            except OSError:
                continue
            children.setdefault(parent, []).append(int(name))
    found: list[int] = []
    waiting = [os.getpid()]
    while waiting:
        below = children.get(waiting.pop(), [])
        found += below
        waiting += below
    return found


def _adopt() -> None:
    """On Linux, become the parent of daemons that the command starts, so that they are found."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _signal_pipe() -> int:
    """A descriptor that turns readable with the number of every signal that comes in."""
    signals, writable = os.pipe()
    os.set_blocking(writable, False)
    signal.set_wakeup_fd(writable)
    for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, lambda number, frame: None)
    return signals


def _reap() -> dict[int, int]:
    ended: dict[int, int] = {}
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return ended
        if pid == 0:
            return ended
        ended[pid] = status


def _received(lifeline: int) -> bytes:
    try:
        return os.read(lifeline, 1)
    except OSError:
        return b""


def _let_go_of_stdio() -> None:
    """Leave stdin and stdout to the command alone, so that their end is its end."""
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)


def _leave(status: int) -> None:
    """End in the way in which the command ended."""
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if -code != signal.SIGKILL:
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[3:])
