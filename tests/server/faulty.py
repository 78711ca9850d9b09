"""A server whose disk fails while a file named `broken` lies beside its data."""

import sqlite3
import sys

from foxtray.cli import main
from foxtray.server import run
from foxtray.server.store.sqlite import SqliteStore


class Faulty(SqliteStore):
    """Fails to be sure: half of the times the data was written all the same."""

    failures = 0

    def commit(self, connection: sqlite3.Connection) -> None:
        if self.path.with_name("broken").exists():
            Faulty.failures += 1
            if Faulty.failures % 2:
                super().commit(connection)
            raise sqlite3.OperationalError("disk I/O error")
        super().commit(connection)


if __name__ == "__main__":
    vars(run)["SqliteStore"] = Faulty
    sys.exit(main(sys.argv[1:]))
