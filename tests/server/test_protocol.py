"""The protocol is what its documents say."""

import re
import subprocess
import sys
from pathlib import Path

import foxtray
from foxtray import errors
from foxtray.server import messages
from foxtray.server.api import ENDPOINTS
from foxtray.server.documents import renewed
from foxtray.server.openapi import document

ROOT = Path(__file__).parent.parent.parent
SOURCE = Path(foxtray.__file__).parent


def test_the_protocol_document_is_up_to_date() -> None:
    text = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
    assert text == renewed(text), "run: python -m foxtray.server.documents docs/protocol.md"


def test_every_address_is_in_the_document() -> None:
    text = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
    for endpoint in ENDPOINTS:
        path = endpoint.path.replace("{table}", "ID").replace("{game}", "GAME")
        assert f"`{endpoint.method} {path}" in text
        assert endpoint.method.lower() in document()["paths"][endpoint.path]


def test_every_code_of_a_refusal_is_listed() -> None:
    rules = set(re.findall(r'return "([a-z_]+)", ', (SOURCE / "refusal.py").read_text()))
    rules |= set(re.findall(r'IllegalAction\("([a-z_]+)"', (SOURCE / "game.py").read_text()))
    assert rules
    assert rules <= set(messages.RULE_CODES)
    assert errors.NothingToUndo.code in messages.RULE_CODES
    for path in (SOURCE / "server").rglob("*.py"):
        for code in re.findall(r'Refusal\(\s*"([a-z_]+)"', path.read_text()):
            assert code in messages.CODES, f"{path.name}: {code}"
    assert len(set(messages.CODES)) == len(messages.CODES)


def test_every_listed_code_is_given_somewhere() -> None:
    lists = (SOURCE / "server" / "messages.py", SOURCE / "server" / "refusals.py")
    given = "".join(p.read_text() for p in SOURCE.rglob("*.py") if p not in lists)
    assert [code for code in messages.CODES if f'"{code}"' not in given] == []


def test_the_server_never_loads_the_compiled_rules() -> None:
    program = (
        "import sys, foxtray.server.run;"
        "print(*(sys.modules.keys() & {'numpy', 'numba', 'llvmlite'}))"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == ""
