"""A server that cannot write read-only files, even if root started it.

While a file named `full` lies beside its data, none of its files may grow.
"""

import ctypes
import os
import resource
import sys
import threading
import time
from pathlib import Path

from foxtray.cli import main

PR_CAPBSET_DROP = 24
CAP_DAC_OVERRIDE = 1
HUMBLED = "FOXTRAY_TEST_HUMBLED"


def limit(flag: Path) -> None:
    """Let files grow or not, as the flag says."""
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    while True:
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096 if flag.exists() else most, most))
        time.sleep(0.01)


if __name__ == "__main__":
    if os.geteuid() == 0 and HUMBLED not in os.environ:
        # In force from the next program on.
        ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, 0, 0, 0)
        os.environ[HUMBLED] = "yes"
        os.execv(sys.executable, [sys.executable, *sys.argv])
    flag = Path(sys.argv[sys.argv.index("--db") + 1]).with_name("full")
    threading.Thread(target=limit, args=(flag,), daemon=True).start()
    sys.exit(main(sys.argv[1:]))
