"""The command `foxtray`, also as `python -m foxtray`."""

import os
import sys


def main() -> int:
    """Run the command line. Importing it takes a moment, during which Ctrl-C may arrive.

    So nothing is imported before that Python itself has not imported yet.
    """
    try:
        open_standard_files()
        from foxtray import cli

        return cli.main()
    except KeyboardInterrupt:
        import signal

        return 128 + signal.SIGINT


def open_standard_files() -> None:
    """Replace standard files that were closed, as in `foxtray >&-`.

    Otherwise Python has no stream to print to, and the next file opened would take the number.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            null = os.open(os.devnull, os.O_RDWR)  # the lowest free number, which is this one
            setattr(sys, name, open(null, "w" if number else "r", encoding="utf-8"))  # noqa: SIM115


if __name__ == "__main__":
    sys.exit(main())
