"""The translator: what it accepts computes the same as in Python; all else is refused."""

import importlib
import itertools
import json
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from translated import node
from translator import page
from translator.functions import Refused
from translator.kinds import INT, Kind, Row
from translator.modules import World

MASK = 0xFFFFFFFF
RECORDS: dict[str, dict[str, Kind]] = {"Pair": {"left": INT, "row": Row(INT)}}
NUMBER = itertools.count()
RUNTIME = (page.HERE / "runtime.js").read_text()

# Runs functions of a module with lists of arguments; a RangeError becomes null.
CALLER = """
import { readFileSync } from 'node:fs'
const module = await import(process.argv[1])
const calls = JSON.parse(readFileSync(0, 'utf8'))
const answers = calls.map(([name, given]) => {
  try {
    const found = module[name](...given)
    return Number.isFinite(found) ? found + 0 : String(found)
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
})
console.log(JSON.stringify(answers))
"""


def translate(source: str, folder: Path) -> tuple[str, ModuleType]:
    """A module of this source in JavaScript and in Python."""
    name = f"sample{next(NUMBER)}"
    (folder / f"{name}.py").write_text("from __future__ import annotations\n" + source)
    sys.path.insert(0, str(folder))
    try:
        importlib.invalidate_caches()
        module = World(folder, RECORDS).translate(name)
        return module.javascript(), importlib.import_module(name)
    finally:
        sys.path.remove(str(folder))


def run(script: str, calls: list[tuple[str, list[Any]]], folder: Path, runtime: str) -> list[Any]:
    """Call functions of a translated module."""
    (folder / "module.mjs").write_text(script.replace("./runtime.js", "./runtime.mjs"))
    (folder / "runtime.mjs").write_text(runtime)
    done = subprocess.run(
        [node(), "--input-type=module", "-e", CALLER, (folder / "module.mjs").as_uri()],
        input=json.dumps(calls),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answers: list[Any] = json.loads(done.stdout)
    return answers


OPERATORS = """
MASK = 0xFFFFFFFF

def floor(a: int, b: int) -> int:
    return a // b

def rest(a: int, b: int) -> int:
    return a % b

def up(a: int, b: int) -> int:
    return a << b

def down(a: int, b: int) -> int:
    return a >> b

def down_word(a: Word, b: int) -> Word:
    return a >> b

def both(a: int, b: int) -> int:
    return a & b

def either(a: int, b: int) -> int:
    return a | b

def one(a: int, b: int) -> int:
    return a ^ b

def other(a: int, b: int) -> int:
    return ~a - b

def both_words(a: Word, b: Word) -> Word:
    return a & b

def either_word(a: Word, b: Word) -> Word:
    return a | b

def one_word(a: Word, b: Word) -> Word:
    return a ^ b

def mixed(a: Word, b: int) -> Word:
    return a & b

def times(a: int, b: int) -> int:
    return a * b

def times_masked(a: Word, b: int) -> Word:
    return (a * b + (a << 7) - b) & MASK

def scrambled(a: Word, b: Word) -> Word:
    a = ((a ^ a >> 16) * 0x85EBCA6B) & MASK
    return (a * 5 + b ^ 0xE6546B64) & MASK

def low_bits(a: Wide, b: int) -> int:
    return a & 1023

def wide_word(a: Wide, b: int) -> Word:
    return a & MASK

def total(a: Wide, b: Wide) -> Wide:
    return a + b

def least(a: int, b: int) -> int:
    return min(a, b) * 3 - max(a, b, 0)

def chosen(a: int, b: int) -> int:
    n = 0
    for k in range(7, b, -2):
        n += k if k in (1, 3) else -a
        if n > 1000 and not k > 3 or n < -1000:
            break
    return n
"""


def calls() -> Iterator[tuple[str, list[int]]]:
    """Every operator with numbers of all sizes and signs, as far as its parameters allow them."""
    whim = random.Random(5)
    edges = [0, 1, 2, 3, 5, 7, 31, 32, 33, 255, 2**15, 2**16 + 1, 2**30, 2**31 - 1]
    ints = [*edges, *(-edge for edge in edges), -(2**31)]
    words = [*edges, 2**31, 2**31 + 1, 2**32 - 1, 0xDEADBEEF]
    wides = [*ints, 2**32, 2**40 + 3, 2**52, 2**53 - 1, -(2**53) + 1, -(2**33) - 1]
    kinds = {"int": ints, "Word": words, "Wide": wides}
    for block in OPERATORS.split("def ")[1:]:
        name, _, rest = block.partition("(")
        parameters = [part.split(": ")[1] for part in rest.partition(")")[0].split(", ")]
        pairs = list(itertools.product(*(kinds[parameter] for parameter in parameters)))
        for pair in whim.sample(pairs, min(len(pairs), 600)):
            yield name, list(pair)


def right(module: ModuleType, name: str, given: list[int]) -> int | None:
    """What Python computes; None where it cannot, or not within what the translator promises."""
    if (name == "up" and given[1] > 31) or (name == "chosen" and abs(given[1]) > 10_000):
        return None
    try:
        found: int = getattr(module, name)(*given)
    except (ZeroDivisionError, ValueError):
        return None
    limit = 2**31 - 1 if name == "up" else 2**53 - 1
    return found if -limit - 1 <= found <= limit and abs(found) < 2**53 else None


def differences(script: str, module: ModuleType, folder: Path, runtime: str = RUNTIME) -> list[Any]:
    """Calls whose answers differ."""
    made = [call for call in calls() if right(module, *call) is not None or call[0] != "chosen"]
    answers = run(script, made, folder, runtime)
    found = []
    for (name, given), answer in zip(made, answers, strict=True):
        if answer != right(module, name, given):
            found.append((name, given, answer))
    return found


def test_operators_compute_what_python_computes(tmp_path: Path) -> None:
    script, module = translate(OPERATORS, tmp_path)
    assert differences(script, module, tmp_path) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Math.floor(a / b)", "Math.trunc(a / b)"),
        ("b === 0 ? refuse(`${a} // 0`) : ", ""),
        ("rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest", "rest"),
        ("b >= 0 && b < 32 && shifted >> b === a", "true"),
        ("a >> (b < 31 ? b : 31)", "a >> b"),
        ("b < 32 ? a >>> b : 0", "a >>> b"),
        ("Number.isSafeInteger(x)", "true"),
        ("Math.imul(a ^ a >>> 16, 0x85ebca6b)", "((a ^ a >>> 16) * 0x85ebca6b)"),
        ("a ^ a >>> 16", "a ^ a >> 16"),
        ("(a | b) >>> 0", "a | b"),
        ("k > b", "k >= b"),
        ("Math.min(a, b)", "a"),
    ],
)
def test_planted_differences_are_found(before: str, after: str, tmp_path: Path) -> None:
    script, module = translate(OPERATORS, tmp_path)
    assert before in script + RUNTIME
    broken = script.replace(before, after)
    found = differences(broken, module, tmp_path, RUNTIME.replace(before, after))
    assert found


def expression(whim: random.Random, depth: int) -> str:
    """Any expression of whole numbers."""
    if depth == 0 or whim.random() < 0.1:
        return whim.choice(["a", "b", "w", str(whim.choice([0, 1, 2, 5, 31, 1000, 2**31, MASK]))])
    one, two = expression(whim, depth - 1), expression(whim, depth - 1)
    operator = whim.choice(["+", "-", "*", "//", "%", "<<", ">>", "&", "|", "^", "& MASK"])
    if operator == "& MASK":
        return f"({one} & 0xFFFFFFFF)"
    if operator in ("<<", ">>") and whim.random() < 0.8:
        two = str(whim.choice([0, 1, 7, 15, 31]))
    if whim.random() < 0.1:
        return f"(~({one}))"
    return f"({one} {operator} {two})"


def test_any_expression_is_right_or_refused(tmp_path: Path, long_run: bool) -> None:
    """Numbers are never wrong: refused when translated, an error when run, or Python's."""
    whim = random.Random(11)
    sources: list[str] = []
    made = []
    wanted = 5_000 if long_run else 500
    while len(sources) < wanted:
        text = expression(whim, whim.choice([1, 2, 3, 4]))
        source = f"def f{len(sources)}(a: int, b: int, w: Word) -> int:\n    return {text}\n"
        (tmp_path / "probe.py").write_text(source)
        try:
            World(tmp_path, RECORDS).translate("probe")
        except Refused:
            continue
        sources.append(source)
    numbers = [0, 1, -1, 3, -7, 30, 2**31 - 1, -(2**31), 12345, -98765]
    for k in range(len(sources)):
        for _ in range(12):
            word = whim.choice([0, 1, 31, 2**31, MASK, 0xCAFEBABE])
            made.append((f"f{k}", [whim.choice(numbers), whim.choice(numbers), word]))
    script, module = translate("\n".join(sources), tmp_path)
    answers = run(script, made, tmp_path, RUNTIME)
    computed = 0
    for (name, given), answer in zip(made, answers, strict=True):
        if answer is not None:
            computed += 1
            assert answer == getattr(module, name)(*given), (sources[int(name[1:])], given)
    assert computed > len(made) / 3


REFUSALS = [
    ("def f(a: int) -> int:\n    return a[1:2]", "only rows can be indexed"),
    ("def f(a: list[int]) -> int:\n    return a[1:2]", "slices are outside the subset"),
    ("def f(a: list[int]) -> int:\n    return a[-1]", "an index counts from the start of a row"),
    ("def f(a: int) -> int:\n    return f(a)", "f calls itself"),
    ("def f(a: int = 1) -> int:\n    return a", "plain arguments without defaults"),
    ("def f(*a: int) -> int:\n    return 1", "plain arguments without defaults"),
    ("def f(a) -> int:\n    return 1", "every parameter needs an annotation"),
    ("def f(a: str) -> int:\n    return 1", "every parameter needs an annotation"),
    ("@cache\ndef f(a: int) -> int:\n    return 1", "must not have decorators"),
    ("def f(a: int) -> int:\n    return 'x'", "Constant expressions are outside the subset"),
    ("def f(a: int) -> int:\n    return [a]", "List expressions are outside the subset"),
    ("def f(a: int) -> int:\n    return {a: 1}", "Dict expressions are outside the subset"),
    ("def f(a: int) -> int:\n    return [k for k in a]", "ListComp expressions are outside"),
    ("def f(a: int) -> int:\n    return (lambda: a)()", "is not a function of the subset"),
    ("def f(a: int) -> int:\n    return abs(a)", "abs is not a function of the subset"),
    ("def f(a: int) -> int:\n    return a ** 2", "the operator Pow is outside the subset"),
    ("def f(a: int) -> int:\n    return a << 32", "numbers are shifted by 0 to 31 bits"),
    ("def f(a: int) -> int:\n    return a >> -1", "numbers are shifted by 0 to 31 bits"),
    ("def f(a: int) -> int:\n    return (a << 40) & 0xFFFFFFFF", "under a mask, numbers are shift"),
    ("def f(a: int) -> int:\n    return a | 0x100000000", "this number has more than 32 bits"),
    ("def f(a: int) -> int:\n    return ~0x100000000", "this number has more than 32 bits"),
    ("def f(a: int) -> int:\n    return a + 2**0x40", "the operator Pow is outside the subset"),
    ("def f(a: int) -> int:\n    return a + 0x20000000000000", "larger than JavaScript counts"),
    ("def f(a: float) -> float:\n    return a + 1e999", "inf is not a finite number"),
    ("FAR = 1e999\ndef f(a: float) -> float:\n    return a + FAR", "FAR is not a finite number"),
    ("BIG = 2**60\ndef f(a: int) -> int:\n    return a + BIG", "BIG is larger than JavaScript"),
    ("NAME = 'x'\ndef f(a: int) -> int:\n    return NAME", "the constant NAME is not a number"),
    ("def f(a: int) -> int:\n    return b", "b is not a variable, a constant or a function"),
    ("def f(a: int) -> int:\n    return 0 < a < 5", "comparisons must not be chained"),
    ("def f(a: int) -> bool:\n    return a is 5", "only numbers are compared"),
    ("def f(a: int) -> bool:\n    return a == (a > 1)", "only numbers are compared"),
    ("def f(a: int) -> bool:\n    return a + 1 in (1, 2)", "in asks whether a name is one of"),
    ("def f(a: int) -> int:\n    return a + (a > 1)", "make a truth value a number with int()"),
    ("def f(a: int) -> int:\n    return a and 5", "and, or yield a truth value only between"),
    ("def f(a: float) -> int:\n    return int(a)", "int of a fraction is outside the subset"),
    ("def f(a: float) -> float:\n    return a // 2", "fractions are only added"),
    ("def f(a: float) -> int:\n    if a:\n        return 1\n    return 2", "can be a condition"),
    ("def f(a: int) -> int:\n    return +a", "a plus sign before a value"),
    ("def f(a: int) -> int:\n    b = 1\n    b = 1.5\n    return a", "b must stay of one kind"),
    ("def f(a: int) -> int:\n    if a:\n        return 1\n    return 1.5", "values of one kind"),
    ("def f(a: int) -> float:\n    return 1 if a else 1.5", "both sides of a choice"),
    ("def f(a: int) -> int:\n    for x in a:\n        pass\n    return a", "must count over range"),
    ("def f(a: int) -> int:\n    for x in range(1, 2, 0):\n        pass\n    return a", "not be 0"),
    ("def f(a: int) -> int:\n    for x in range(1, 2, a):\n        pass\n    return a",
     "a constant is needed"),
    ("def f(a: int) -> int:\n    while a:\n        pass\n    else:\n        a = 1\n    return a",
     "a while loop must not have an else"),
    ("def f(a: int) -> int:\n    with a:\n        return 1", "With statements are outside"),
    ("def f(a: int) -> int:\n    try:\n        return 1\n    finally:\n        a = 1",
     "Try statements are outside"),
    ("def f(a: int) -> int:\n    raise a", "Raise statements are outside the subset"),
    ("def f(a: int) -> int:\n    assert a\n    return 1", "Assert statements are outside"),
    ("def f(a: int) -> int:\n    import math\n    return 1", "Import statements are outside"),
    ("def f(a: int) -> int:\n    a\n    return 1", "Expr statements are outside the subset"),
    ("def f(a: int) -> int:\n    return g(a, 1)\ndef g(a: int) -> int:\n    return a",
     "g takes 1 arguments"),
    ("def f(a: int) -> int:\n    return g(a=1)\ndef g(a: int) -> int:\n    return a",
     "a call takes plain arguments"),
    ("def f(a: float) -> int:\n    return g(a)\ndef g(a: int) -> int:\n    return a",
     "this is not what the parameter a takes"),
    ("def f(a: int) -> int:\n    return g(2**0 + 0x1FFFFFFFF)\ndef g(a: int) -> int:\n    return a",
     "the operator Pow"),
    ("def f(a: int) -> int:\n    return g(0x1FFFFFFFF)\ndef g(a: int) -> int:\n    return a",
     "this number does not fit the parameter a"),
    ("def f(a: int) -> int:\n    return g(a)\ndef g(a: int) -> None:\n    a += 1",
     "g returns nothing"),
    ("def f(a: int) -> int:\n    b = g(a)\n    return 1\ndef g(a: int) -> int:\n    return a, 1",
     "several values must be taken apart"),
    ("def f(a: int) -> int:\n    b, c = a\n    return b", "several names need several values"),
    ("def f(a: int) -> int:\n    b, c = 1, 2, 3\n    return b", "as many names as values"),
    ("def f(p: Pair) -> int:\n    return p.middle", "Pair has no field middle"),
    ("def f(p: Pair) -> int:\n    return p.left.x", "only records have fields"),
    ("def f(p: Pair) -> int:\n    p.row = p.row\n    return 1", "a whole row cannot be assigned"),
    ("def f(p: Pair) -> int:\n    p.left = 1.5\n    return 1", "a fraction does not fit"),
    ("def f(p: list[Pair], q: int) -> int:\n    p[0] = q\n    return 1", "a record can only be"),
    ("def f(p: Pair) -> int:\n    p.row[g(1)] += 1\n    return 1\n"
     "def g(a: int) -> int:\n    return a", "must not depend on a call"),
    ("def f(a: int) -> int:\n    c = b\n    b = 1\n    return c",
     "b is read before it is assigned"),
    ("def f(a: int) -> int:\n    return min(a)", "min takes two values or more"),
    ("def f(a: int) -> float:\n    return min(a, 1.5)", "min compares values of one kind"),
    ("def f(a: int) -> int:\n    return len(a)", "only rows have a length"),
    ("import math\ndef f(a: int) -> int:\n    return math.pi", "is not a constant of a module"),
    ("def f(a: int) -> int:\n    a.b, c = 1, 2\n    return 1", "only records have fields"),
    ("def f(a: int) -> int:\n    [a] = [1]\n    return 1", "only names, fields and places"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "sentence"), REFUSALS)
def test_all_else_is_refused_with_file_and_line(source: str, sentence: str, tmp_path: Path) -> None:
    if "cache" in source:
        source = f"from functools import cache\n{source}"
    with pytest.raises(Refused) as refused:
        translate(source, tmp_path)
    file, line, text = str(refused.value).split(":", 2)
    assert file.startswith("sample")
    assert 1 < int(line) <= len(source.splitlines()) + 1
    assert sentence in text


def test_a_refusal_ends_the_build_with_its_sentence(tmp_path: Path) -> None:
    """As someone would see it who writes a slice into the rules."""
    root = page.HERE.parent.parent
    shutil.copy(root / "hatch_build.py", tmp_path)
    for part in ("src/foxtray", "web/translator"):
        shutil.copytree(root / part, tmp_path / part, ignore=shutil.ignore_patterns("client"))
    rules = tmp_path / "src/foxtray/core/rules.py"
    text = rules.read_text()
    line = text[: text.index("return those | 1 << one")].count("\n") + 1
    rules.write_text(text.replace("return those | 1 << one", "return sorted([those, one])[0]"))
    done = subprocess.run(
        [sys.executable, "hatch_build.py", "check"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert f"foxtray/core/rules.py:{line}: sorted is not a function of the subset" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_build_needs_only_the_standard_library(tmp_path: Path) -> None:
    """A wheel is built where neither numpy nor any other dependency is installed."""
    command = (
        "import sys\n"
        "for name in ('numpy', 'numba', 'msgspec', 'starlette', 'structlog'):\n"
        "    sys.modules[name] = None\n"
        "from pathlib import Path\n"
        "from translator import page\n"
        "page.write(Path(sys.argv[1]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", command, str(tmp_path)],
        cwd=page.HERE.parent,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert {"rules.js", "rules.d.ts", "thinking.js", "records.js"} <= {
        path.name for path in tmp_path.iterdir()
    }


def test_files_that_have_not_changed_stay_untouched(tmp_path: Path) -> None:
    """So that the page is not built again for nothing; what is no longer made goes."""
    page.write(tmp_path)
    (tmp_path / "old.js").touch()
    (tmp_path / "old").mkdir()
    (tmp_path / "codes.js").write_text("edited by hand")
    before = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    page.write(tmp_path)
    after = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    assert {path.name for path in before if path not in after} == {"old", "old.js"}
    assert {path.name for path in after if after[path] != before[path]} == {"codes.js"}
