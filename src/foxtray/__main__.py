"""The command `foxtray`, also as `python -m foxtray`."""

import signal
import sys


def main() -> int:
    """Run the command line. Importing it takes a moment, during which Ctrl-C may arrive."""

    try:
        from foxtray import cli

        return cli.main()
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


if __name__ == "__main__":
    sys.exit(main())
