"""A server that grants what has a limit only once: no test has to be faster than a refill."""

import sys

from foxtray.cli import main
from foxtray.server import limits

if __name__ == "__main__":
    for what, kind in limits.RATES:
        if (
            what != "request"
        ):  # the tests of the others need more of these than one may have at once
            limits.RATES[what, kind] = limits.RATES[what, kind]._replace(per_second=0)
    sys.exit(main(sys.argv[1:]))
