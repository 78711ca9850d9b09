"""A server whose bots are ready only once a file named `ready` is next to its database."""

import sys
import time
from pathlib import Path

from foxtray.cli import build_parser
from foxtray.server.bots import worker
from foxtray.server.commands import settings_of
from foxtray.server.run import Parts, run


def wait_and_work(flag: Path) -> None:
    while not flag.exists():
        time.sleep(0.01)
    worker.main()


if __name__ == "__main__":
    if sys.argv[1] == "worker":
        wait_and_work(Path(sys.argv[2]))
    else:
        settings = settings_of(build_parser().parse_args())
        assert isinstance(settings.db, Path)
        flag = settings.db.with_name("ready")
        sys.exit(run(settings, Parts(worker=(sys.executable, __file__, "worker", str(flag)))))
