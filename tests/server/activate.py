"""Starts a program as systemd does: with listening sockets from descriptor 3 on.

activate.py DESCRIPTOR[,DESCRIPTOR...] PROGRAM [ARGUMENT...]
"""

import os
import sys

if __name__ == "__main__":
    handles = enumerate(map(int, sys.argv[1].split(",")))
    high = [os.dup2(handle, 100 + number) for number, handle in handles]
    for number, handle in enumerate(high):
        os.dup2(handle, 3 + number, inheritable=True)
        os.set_inheritable(handle, False)
    os.environ["LISTEN_PID"] = str(os.getpid())
    os.environ["LISTEN_FDS"] = str(len(high))
    os.closerange(3 + len(high), 100)
    os.execv(sys.argv[2], sys.argv[2:])
