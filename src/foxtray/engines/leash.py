"""Holds an engine on a leash: whatever happens to Foxtray, the engine and its children end.

Runs as a small process between Foxtray and the engine, without importing Foxtray:
`python -I -S leash.py LIFE COMMAND...`. The engine inherits the standard streams, so no message
passes through here. LIFE is the reading end of a pipe that only Foxtray can write to: it closes
when Foxtray is done with the engine, or is gone. POSIX only.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys

NOT_FOUND = 127
SUBREAPER = 36
"""PR_SET_CHILD_SUBREAPER of Linux: orphans below us become our children, also after setsid."""


def adopt_orphans() -> None:
    """On Linux, become the parent of every descendant whose own parent has ended."""
    if sys.platform == "linux":
        import ctypes

        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)


def children() -> list[int]:
    """Our children, where the system tells (Linux)."""
    try:
        with open(f"/proc/self/task/{os.getpid()}/children") as file:
            return [int(pid) for pid in file.read().split()]
    except OSError:
        return []


def end_all(engine: int) -> None:
    """Kill the engine's process group and all our descendants, and reap them."""
    while True:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(engine, signal.SIGKILL)
        for child in children():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(child, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def main() -> int:
    life, command = int(sys.argv[1]), sys.argv[2:]
    os.set_inheritable(life, False)
    adopt_orphans()
    ours, theirs = os.pipe()
    os.set_blocking(theirs, False)
    signal.set_wakeup_fd(theirs)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    usual = [signal.SIGINT, signal.SIGTERM, signal.SIGPIPE, signal.SIGCHLD]
    try:
        engine = os.posix_spawnp(
            command[0], command, os.environ, setpgroup=0, setsigdef=usual, setsigmask=[]
        )
    except OSError as error:
        print(f"cannot start {command[0]}: {error.strerror}", file=sys.stderr)
        return NOT_FOUND
    # The pipes must close when the engine ends, not when we do.
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nothing, stream)
    while True:
        ready, _, _ = select.select([life, ours], [], [])
        if life in ready:
            end_all(engine)
            return 0
        os.read(ours, 4096)
        with contextlib.suppress(ChildProcessError):
            while (found := os.waitpid(-1, os.WNOHANG))[0]:
                if found[0] == engine:
                    end_all(engine)
                    code = os.waitstatus_to_exitcode(found[1])
                    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    os._exit(main())
