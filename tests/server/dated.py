"""A server whose clock a test moves: it is ahead by as many milliseconds as a file says."""

import os
import sys
from pathlib import Path

from foxtray.server import wall_clock

real = wall_clock.now
ahead = Path(os.environ["TEST_AHEAD"])


def shifted() -> int:
    return real() + int(ahead.read_text())


if __name__ == "__main__":
    # Before anything else takes it over.
    wall_clock.now = shifted

    from foxtray.cli import build_parser
    from foxtray.server.commands import settings_of
    from foxtray.server.run import run

    sys.exit(run(settings_of(build_parser().parse_args())))
