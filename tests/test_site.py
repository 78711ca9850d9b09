"""The documentation site and its notebooks."""

import importlib
import inspect
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import foxtray
from foxtray import bots, review

ROOT = Path(__file__).parent.parent
PAGES = {path: path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs").rglob("*.md"))}
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
REFERENCE = re.findall(
    r"^::: (\S+)$", "\n".join(t for p, t in PAGES.items() if p.parent.name == "reference"), re.M
)


def found(name: str) -> object:
    """What a name of the reference stands for."""
    module, _, last = name.rpartition(".")
    try:
        return getattr(importlib.import_module(module), last)
    except AttributeError:
        return importlib.import_module(name)


@pytest.mark.parametrize("name", REFERENCE)
def test_the_reference_names_what_exists_and_is_explained(name: str) -> None:
    assert inspect.getdoc(found(name))


def test_every_public_class_is_in_the_reference() -> None:
    listed = {id(found(name)) for name in REFERENCE}
    for package in (foxtray, bots, review):
        for name in package.__all__:
            value = getattr(package, name)
            if inspect.isclass(value):
                assert id(value) in listed, f"{package.__name__}.{name} is not in docs/reference"


def anchors(text: str) -> set[str]:
    """The anchors of a page's headings, as Markdown makes them."""
    bare = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    heads = re.findall(r"^#+ (.+)$", bare, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head).strip().lower().replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_to_headings_lead_somewhere(page: Path) -> None:
    for target, anchor in re.findall(r"\]\(([^)#:\s]*\.md)?#([^)\s]+)\)", PAGES[page]):
        other = (page.parent / target).resolve() if target else page
        assert anchor in anchors(PAGES[other]), f"{target}#{anchor}"


def test_every_page_is_in_the_navigation() -> None:
    listed = set(re.findall(r": (\S+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE))
    assert listed == {
        str(page.relative_to(ROOT / "docs")) for page in PAGES if page.parent.name != "rules"
    }


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_stored_without_results(path: Path) -> None:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert len(code) >= 4
    for cell in code:
        assert cell["outputs"] == []
        assert cell["execution_count"] is None
        compile("".join(cell["source"]), path.name, "exec")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run(path: Path, long_run: bool, tmp_path: Path) -> None:
    if not long_run:
        return  # `make test-long` installs the tools and runs them
    program = (
        "import sys, nbformat, nbclient; "
        "book = nbformat.read(sys.argv[1], 4); "
        "nbclient.NotebookClient(book, timeout=1800, kernel_name='python3').execute()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(path)], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-2000:]


def test_the_site_is_built_without_a_dead_link(long_run: bool, tmp_path: Path) -> None:
    if not long_run:
        return  # `make docs` and `make test-long` build it
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "reference" / "games.html").read_text(encoding="utf-8")
    assert "Methods:" in page
    assert page.count("<table") > 10
