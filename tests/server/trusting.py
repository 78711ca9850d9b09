"""A server that accepts the dice in a log without checking the table's secret."""

import sys

from foxtray.cli import build_parser
from foxtray.server.commands import settings_of
from foxtray.server.run import Parts, run

if __name__ == "__main__":
    sys.exit(run(settings_of(build_parser().parse_args()), Parts(check_throws=False)))
