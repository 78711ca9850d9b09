"""The command `foxtray`, also as `python -m foxtray`."""

import signal
import sys


def main() -> int:
    """Run the command line. Loading it takes a moment, and Ctrl-C may come in it already."""
    try:
        from foxtray import cli

        return cli.main()
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


if __name__ == "__main__":
    sys.exit(main())
