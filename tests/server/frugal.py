"""A server whose limits never refill, so that tests do not depend on speed."""

import sys

from foxtray.cli import build_parser
from foxtray.server.commands import settings_of
from foxtray.server.http.limits import RATES, Rate
from foxtray.server.run import Parts, run

# The tests of the other limits need more requests than one may have at once.
ONCE = {
    (what, kind): rate if what == "request" else Rate(rate.burst, per_second=0)
    for (what, kind), rate in RATES.items()
}

if __name__ == "__main__":
    sys.exit(run(settings_of(build_parser().parse_args()), Parts(rates=ONCE)))
