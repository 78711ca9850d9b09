"""`python -m foxtray` is `foxtray`."""

import sys

from foxtray.cli import main

if __name__ == "__main__":
    sys.exit(main())
