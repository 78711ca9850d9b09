"""Tables of rules that this version no longer plays: who sat there, and their records."""

from __future__ import annotations

from dataclasses import replace

from foxtray.game import RULES_VERSION
from foxtray.record import digest, header_lines
from foxtray.server import inputs
from foxtray.server.inputs import AnyInput
from foxtray.server.state import TableState
from foxtray.server.store import TableRow
from foxtray.sheets import SHEETS


class Bygone:
    """A table as far as its log says, without playing it."""

    def __init__(self, row: TableRow, log: list[AnyInput], totals: list[int]) -> None:
        self.state = TableState(row)
        self.log = log
        self.totals = totals
        """Of a finished game, as they were when it was played."""
        self.names: dict[str, str] = {}
        for entry in log:
            if isinstance(entry, inputs.Sat | inputs.Left | inputs.Reseated):
                self.state.apply(entry)

    @property
    def reason(self) -> str:
        """Why it cannot be played on."""
        return (
            f"this table was played by version {self.state.row.rules} of the rules, and this "
            f"server plays version {RULES_VERSION}; its record can still be downloaded"
        )

    def record_text(self) -> str:
        """The record as the version that played it reads it."""
        first = next((entry.first for entry in self.log if isinstance(entry, inputs.Started)), 0)
        setup = replace(self.state.game_setup(first), names=self.state.called(self.names))
        lines = list(header_lines(setup))
        lines[1] = f"rules {self.state.row.rules}"
        lines += self._input_lines()
        if self.totals:
            if setup.secret is not None:
                lines.append(f"secret {setup.secret.hex()}")
            lines.append("end " + " ".join(map(str, self.totals)))
            lines.append(f"sha256 {digest(lines)}")
        return "\n".join(lines) + "\n"

    def _input_lines(self) -> list[str]:
        sheet = SHEETS.get(self.state.setup.game)
        letters = [colour[0] for colour in sheet.dice] if sheet else list("abcdef")
        lines: list[tuple[int | None, str]] = []
        for entry in self.log:
            match entry:
                case inputs.Threw(faces, order):
                    shown = "".join(str(face) if face else "-" for face in faces)
                    lines.append((None, f"throw {shown} " + "".join(letters[d] for d in order)))
                case inputs.Played(seat, action):
                    lines.append((seat, f"{seat + 1} {action}"))
                case inputs.Undid(seat):
                    del lines[max(i for i, (who, _) in enumerate(lines) if who == seat)]
        return [line for _, line in lines]
