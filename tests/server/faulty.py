"""A server whose disk fails while a file named `broken` is next to its database."""

import sqlite3
import sys

from foxtray.cli import build_parser
from foxtray.server.commands import settings_of
from foxtray.server.run import Parts, run
from foxtray.server.store.sqlite import SqliteStore


class Faulty(SqliteStore):
    """Makes a commit fail; half of the time the data was written nevertheless."""

    failures = 0

    def commit(self, connection: sqlite3.Connection) -> None:
        if self.path.with_name("broken").exists():
            Faulty.failures += 1
            if Faulty.failures % 2:
                super().commit(connection)
            raise sqlite3.OperationalError("disk I/O error")
        super().commit(connection)


if __name__ == "__main__":
    parts = Parts(open_store=lambda settings, metrics: Faulty(settings.db, metrics.commit))
    sys.exit(run(settings_of(build_parser().parse_args()), parts))
