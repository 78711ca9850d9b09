"""The simulation finds bugs that are planted, each within a few seeds."""

import pytest

from simulation.planted import BUGS, PROVOKED_BY
from simulation.run import Failure, run_seeds

PATIENCE = 400
"""Seeds within which every planted bug is found."""


@pytest.mark.parametrize("bug", BUGS)
def test_a_planted_bug_is_found(bug: str) -> None:
    with pytest.raises(Failure) as found:
        run_seeds(range(PATIENCE), BUGS[bug], PROVOKED_BY.get(bug))
    print(f"{bug}: found by seed {found.value.seed}: {found.value}")
