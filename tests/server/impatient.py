"""A server that takes sockets for half open after a moment of silence."""

import sys

from foxtray.cli import main
from foxtray.server import live

SILENCE = 4.0

if __name__ == "__main__":
    vars(live).update(SILENCE=SILENCE, PATROL=0.1)
    sys.exit(main(sys.argv[1:]))
