"""A server whose bots are not ready before a file named `ready` lies beside its data."""

import sys
import time
from pathlib import Path

from foxtray.cli import main
from foxtray.server import run, worker
from foxtray.server.crew import Crew


def wait_and_work(flag: Path) -> None:
    while not flag.exists():
        time.sleep(0.01)
    worker.main()


if __name__ == "__main__":
    if sys.argv[1] == "worker":
        wait_and_work(Path(sys.argv[2]))
    else:
        flag = Path(sys.argv[sys.argv.index("--db") + 1]).with_name("ready")
        command = (sys.executable, __file__, "worker", str(flag))
        vars(run)["Crew"] = lambda size, warm: Crew(size, command, warm=warm)
        sys.exit(main(sys.argv[1:]))
