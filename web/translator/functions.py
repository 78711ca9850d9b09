"""Translates one function: its kinds are worked out and its JavaScript written in the same walk.

The walk is repeated until the kinds of its variables no longer change; the last one counts.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any

from translator import arithmetic
from translator.arithmetic import BITWISE, SUMS, OutOfBounds, Unsuited, cut
from translator.code import (
    ATOM,
    BOTH,
    CHOICE,
    EITHER,
    EQUAL,
    ORDER,
    PLUS,
    SHIFT,
    UNARY,
    Code,
    checked,
    named,
    number,
)  # fmt: skip
from translator.kinds import (
    INT,
    SAFE,
    WIDE,
    WORD,
    Kind,
    Real,
    Record,
    Row,
    Several,
    Truth,
    Whole,
    join,
    widened,
)  # fmt: skip
from translator.scopes import Scopes

if TYPE_CHECKING:
    from translator.modules import Module

PATIENCE = 4
"""Walks after which the bounds of a number are widened, so that they come to rest."""

COMPARISONS: dict[type[ast.cmpop], tuple[str, int]] = {
    ast.Eq: ("===", EQUAL),
    ast.NotEq: ("!==", EQUAL),
    ast.Lt: ("<", ORDER),
    ast.LtE: ("<=", ORDER),
    ast.Gt: (">", ORDER),
    ast.GtE: (">=", ORDER),
}


class Refused(Exception):
    """Source outside the subset: file, line and a sentence."""


@dataclass(frozen=True, slots=True)
class Signature:
    """What a function takes and returns; nothing if it returns nothing."""

    parameters: tuple[tuple[str, Kind], ...]
    returns: Kind | None


class Function:
    """One function on its way to JavaScript."""

    def __init__(self, module: Module, node: ast.FunctionDef) -> None:
        self.module, self.node = module, node
        self.at: ast.AST = node
        self.kinds: dict[str, Kind] = {}
        self.returns: Kind | None = None
        self.changed = True
        self.certain = False
        self.widening = False
        self.lines: list[str] = []
        self.depth = 1
        self.ends = 0

    # --- the function as a whole ------------------------------------------------------------------

    def translate(self) -> tuple[list[str], Signature]:
        """The lines of the function, and its signature."""
        self.check_head()
        arguments = self.node.args.args
        parameters = tuple((a.arg, self.module.annotated(a.annotation, a)) for a in arguments)
        self.scopes = Scopes(self.node)
        self.kinds = dict(parameters)
        walks = 0
        while self.changed or not self.certain:
            self.certain = not self.changed
            self.changed, self.lines, self.ends = False, [], 0
            self.widening = walks >= PATIENCE
            self.block(self.node.body)
            walks += 1
        if hoisted := self.scopes.hoisted:
            self.lines.insert(0, f"  let {', '.join(named(name) for name in hoisted)}")
        listed = ", ".join(named(name) for name, _ in parameters)
        head = f"export function {named(self.node.name)}({listed}) {{"
        return [head, *self.lines, "}"], Signature(parameters, self.returns)

    def check_head(self) -> None:
        node = self.node
        if node.decorator_list:
            raise self.refused(node, "a function must not have decorators")
        a = node.args
        if a.vararg or a.kwarg or a.kwonlyargs or a.posonlyargs or a.defaults:
            raise self.refused(node, "a function takes plain arguments without defaults")

    def refused(self, node: ast.AST, sentence: str) -> Refused:
        return Refused(f"{self.module.place(node)}: {sentence}")

    def refuse_bounds(self, node: ast.AST, sentence: str) -> None:
        """Refuse a number for its bounds, once they are certain."""
        if self.certain:
            raise self.refused(node, sentence)

    def bind(self, name: str, kind: Kind, node: ast.AST) -> None:
        """Let a variable be of a kind as well."""
        old = self.kinds.get(name)
        new = kind if old is None else join(old, kind)
        if new is None:
            raise self.refused(node, f"{name} must stay of one kind")
        if isinstance(new, Several):
            raise self.refused(node, "several values must be taken apart where they are returned")
        if isinstance(new, Whole) and self.widening and new != old:
            new = widened(new)
        if new != old:
            self.kinds[name] = new
            self.changed = True

    # --- statements -------------------------------------------------------------------------------

    def write(self, text: str, node: ast.AST | None = None) -> None:
        line = f" // {node.lineno}" if isinstance(node, ast.stmt) else ""
        self.lines.append(f"{'  ' * self.depth}{text}{line}")

    def block(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            self.statement(statement)

    def inner(self, statements: list[ast.stmt]) -> None:
        self.depth += 1
        self.block(statements)
        self.depth -= 1

    def statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Expr(ast.Constant(str())) | ast.Pass():
                pass  # a docstring
            case ast.Expr(ast.Call() as call):
                self.write(self.call(call, used=False).text, node)
            case ast.Assign([target], value):
                self.assign(target, value, node)
            case ast.AnnAssign(ast.Name() as target, _, ast.expr() as value):
                self.assign(target, value, node)
            case ast.AugAssign(target, op, value):
                self.change(target, op, value, node)
            case ast.Return(value):
                self.give_back(value, node)
            case ast.If():
                self.branch(node)
            case ast.While(test, body, []):
                self.write(f"while ({self.condition(test)}) {{", node)
                self.inner(body)
                self.write("}")
            case ast.For(ast.Name(name), ast.Call(ast.Name("range"), arguments, []), body, []):
                self.count(name, arguments, body, node)
            case ast.Break():
                self.write("break", node)
            case ast.Continue():
                self.write("continue", node)
            case ast.For():
                raise self.refused(node, "a for loop must count over range, without else")
            case ast.While():
                raise self.refused(node, "a while loop must not have an else")
            case _:
                raise self.refused(node, f"{type(node).__name__} statements are outside the subset")

    def branch(self, node: ast.If) -> None:
        self.write(f"if ({self.condition(node.test)}) {{", node)
        self.inner(node.body)
        while len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
            node = node.orelse[0]
            self.write(f"}} else if ({self.condition(node.test)}) {{", node)
            self.inner(node.body)
        if node.orelse:
            self.write("} else {")
            self.inner(node.orelse)
        self.write("}")

    def give_back(self, value: ast.expr | None, node: ast.stmt) -> None:
        if value is None:
            self.write("return", node)
            return
        if isinstance(value, ast.Tuple):
            parts = [self.value(part) for part in value.elts]
            text = f"[{', '.join(part.text for part in parts)}]"
            code = Code(text, ATOM, Several(tuple(part.kind for part in parts)))
        else:
            code = self.value(value)
        new = code.kind if self.returns is None else join(self.returns, code.kind)
        if new is None:
            raise self.refused(node, "a function must return values of one kind")
        if isinstance(new, Whole) and self.widening and new != self.returns:
            new = widened(new)
        if new != self.returns:
            self.returns = new
            self.changed = True
        self.write(f"return {code.text}", node)

    def count(
        self, name: str, arguments: list[ast.expr], body: list[ast.stmt], node: ast.For
    ) -> None:
        """A loop over a range; its end is computed once."""
        if not 1 <= len(arguments) <= 3:
            raise self.refused(node, "range takes one to three numbers")
        step = 1
        if len(arguments) == 3:
            step = self.constant(arguments[2])
            if step == 0:
                raise self.refused(node, "the step of a range must not be 0")
        start = self.whole(arguments[0]) if len(arguments) > 1 else Code("0", ATOM, Whole(0, 0))
        stop = self.whole(arguments[min(1, len(arguments) - 1)])
        first, last = start.bounds, stop.bounds
        if step > 0:
            kind = Whole(first.low, max(first.low, last.high - 1))
        else:
            kind = Whole(min(first.high, last.low + 1), first.high)
        self.bind(name, kind, node)
        own = name in self.scopes.counters
        counter = named(name) if own else f"${name}"
        end = stop.at(SHIFT)
        begin = f"let {counter} = {start.text}"
        if not self.steady(arguments[min(1, len(arguments) - 1)]):
            self.ends += 1
            begin += f", $end{self.ends} = {stop.text}"
            end = f"$end{self.ends}"
        sign = "<" if step > 0 else ">"
        move = {1: f"{counter}++", -1: f"{counter}--"}.get(step, f"{counter} += {step}")
        self.write(f"for ({begin}; {counter} {sign} {end}; {move}) {{", node)
        if not own:
            self.depth += 1
            self.write(f"{named(name)} = {counter}")
            self.depth -= 1
        self.inner(body)
        self.write("}")

    def steady(self, node: ast.expr) -> bool:
        """Whether an expression has the same value whenever it is asked."""
        match node:
            case ast.Constant():
                return True
            case ast.Name(name):
                return name not in self.kinds or name in self.scopes.steady
            case ast.BinOp(left, _, right):
                return self.steady(left) and self.steady(right)
        return False

    # --- assignments ------------------------------------------------------------------------------

    def assign(self, target: ast.expr, value: ast.expr, node: ast.stmt) -> None:
        match target:
            case ast.Name(name):
                code = self.value(value)
                self.bind(name, code.kind, node)
                self.write(f"{self.scopes.declaration(node)}{named(name)} = {code.text}", node)
            case ast.Tuple(targets):
                self.assign_several(targets, value, node)
            case ast.Subscript() | ast.Attribute():
                self.store(target, self.value(value), node)
            case _:
                raise self.refused(node, "only names, fields and places in rows can be assigned to")

    def assign_several(self, targets: list[ast.expr], value: ast.expr, node: ast.stmt) -> None:
        parts: tuple[Kind, ...]
        if isinstance(value, ast.Tuple):
            codes = [self.value(part) for part in value.elts]
            parts, text = tuple(c.kind for c in codes), f"[{', '.join(c.text for c in codes)}]"
        else:
            code = self.value(value, several=True)
            if not isinstance(code.kind, Several):
                raise self.refused(node, "several names need several values")
            parts, text = code.kind.parts, code.text
        if len(parts) != len(targets):
            raise self.refused(node, "as many names as values are needed")
        places = []
        for target, kind in zip(targets, parts, strict=True):
            if isinstance(target, ast.Name):
                self.bind(target.id, kind, node)
                places.append(named(target.id))
            else:
                place = self.value(target)
                if isinstance(place.kind, Record | Row):
                    raise self.refused(node, "records are copied one at a time")
                places.append(place.text)
        # A line that begins with a bracket needs a semicolon before it.
        self.write(f"{self.scopes.declaration(node) or ';'}[{', '.join(places)}] = {text}", node)

    def store(self, target: ast.expr, code: Code, node: ast.stmt) -> None:
        """Write to a field or to a place in a row; a record is copied there."""
        place = self.value(target)
        if isinstance(place.kind, Record):
            if code.kind != place.kind or not isinstance(target, ast.Subscript):
                raise self.refused(
                    node, "a record can only be copied to a place in a row of its kind"
                )
            row, index = self.value(target.value), self.whole(target.slice)
            self.write(f"$.put({row.text}, {index.text}, {code.text})", node)
            return
        if isinstance(place.kind, Row):
            raise self.refused(node, "a whole row cannot be assigned to")
        if isinstance(place.kind, Whole) and isinstance(code.kind, Real):
            raise self.refused(node, "a fraction does not fit where whole numbers are kept")
        text = f"+{code.at(UNARY)}" if isinstance(code.kind, Truth) else code.text
        self.write(f"{place.text} = {text}", node)

    def change(self, target: ast.expr, op: ast.operator, value: ast.expr, node: ast.stmt) -> None:
        """An assignment such as a += b."""
        read = self.value(target)
        code = self.attempt(node, arithmetic.operation, read, op, self.value(value))
        if isinstance(target, ast.Name):
            self.bind(target.id, code.kind, node)
        elif not isinstance(target, ast.Subscript | ast.Attribute) or not self.pure(target):
            raise self.refused(node, "the place that is changed must not depend on a call")
        self.write(f"{read.text} = {code.text}", node)

    def pure(self, node: ast.expr) -> bool:
        return not any(isinstance(part, ast.Call) for part in ast.walk(node))

    # --- expressions ------------------------------------------------------------------------------

    def condition(self, node: ast.expr) -> str:
        """An expression whose truth is asked for: a number is true unless it is 0."""
        return self.truth(node).text

    def truth(self, node: ast.expr) -> Code:
        match node:
            case ast.BoolOp(op, values):
                sign, rank = ("&&", BOTH) if isinstance(op, ast.And) else ("||", EITHER)
                # Python and JavaScript agree, but both signs side by side are hard to read.
                texts = [
                    part.at(BOTH + 1) if part.rank in (BOTH, EITHER) else part.at(rank)
                    for part in map(self.truth, values)
                ]
                return Code(f" {sign} ".join(texts), rank, Truth())
            case ast.UnaryOp(ast.Not(), operand):
                return Code(f"!{self.truth(operand).at(UNARY)}", UNARY, Truth())
        code = self.value(node)
        if not isinstance(code.kind, Whole | Truth):
            raise self.refused(node, "only whole numbers and truth values can be a condition")
        return code

    def value(self, node: ast.expr, several: bool = False) -> Code:
        code = self.expression(node)
        if isinstance(code.kind, Several) and not several:
            raise self.refused(node, "several values must be taken apart where they are returned")
        return code

    def whole(self, node: ast.expr) -> Code:
        code = self.value(node)
        if not isinstance(code.kind, Whole):
            raise self.refused(node, "a whole number is needed here")
        return code

    def constant(self, node: ast.expr) -> int:
        kind = self.whole(node).kind
        if not isinstance(kind, Whole) or kind.low != kind.high:
            raise self.refused(node, "a constant is needed here")
        return kind.low

    def expression(self, node: ast.expr) -> Code:
        match node:
            case ast.Constant(bool() as value):
                return Code("true" if value else "false", ATOM, Truth())
            case ast.Constant(int() as value):
                return self.literal(value, node)
            case ast.Constant(float() as value):
                if not isfinite(value):
                    raise self.refused(node, f"{value} is not a finite number")
                return Code(repr(value), ATOM, Real())
            case ast.Name(name):
                return self.name(name, node)
            case ast.Attribute():
                return self.attribute(node)
            case ast.Subscript():
                return self.subscript(node)
            case ast.Call():
                return self.call(node)
            case ast.BinOp(left, op, right):
                if (masked := self.masked(node)) is not None:
                    return masked
                return self.attempt(
                    node, arithmetic.operation, self.value(left), op, self.value(right)
                )
            case ast.UnaryOp():
                return self.unary(node)
            case ast.Compare():
                return self.compare(node)
            case ast.BoolOp(_, values):
                code = self.truth(node)
                if not all(isinstance(self.value(part).kind, Truth) for part in values):
                    raise self.refused(
                        node, "and, or yield a truth value only between truth values"
                    )
                return code
            case ast.IfExp(test, body, orelse):
                one, other = self.value(body), self.value(orelse)
                kind = join(one.kind, other.kind)
                if kind is None:
                    raise self.refused(node, "both sides of a choice must be of one kind")
                asked = self.truth(test).at(CHOICE + 1)
                return Code(f"{asked} ? {one.at(CHOICE)} : {other.at(CHOICE)}", CHOICE, kind)
        raise self.refused(node, f"{type(node).__name__} expressions are outside the subset")

    def literal(self, value: int, node: ast.expr) -> Code:
        if not -SAFE <= value <= SAFE:
            raise self.refused(node, f"{value} is larger than JavaScript counts exactly")
        return Code(number(value), ATOM if value >= 0 else UNARY, Whole(value, value))

    def name(self, name: str, node: ast.expr) -> Code:
        if name in self.scopes.locals:
            if name not in self.kinds:
                raise self.refused(node, f"{name} is read before it is assigned")
            return Code(named(name), ATOM, self.kinds[name])
        return self.module.constant(name, node)

    def attribute(self, node: ast.Attribute) -> Code:
        if isinstance(node.value, ast.Name) and node.value.id not in self.scopes.locals:
            return self.module.member(node.value.id, node.attr, node)
        owner = self.value(node.value)
        if not isinstance(owner.kind, Record):
            raise self.refused(node, f"only records have fields; there is no .{node.attr} here")
        kind = self.module.field(owner.kind.name, node.attr)
        if kind is None:
            raise self.refused(node, f"{owner.kind.name} has no field {node.attr}")
        return Code(f"{owner.at(ATOM)}.{node.attr}", ATOM, kind)

    def subscript(self, node: ast.Subscript) -> Code:
        row = self.value(node.value)
        if not isinstance(row.kind, Row):
            raise self.refused(node, "only rows can be indexed")
        if isinstance(node.slice, ast.Slice | ast.Tuple):
            raise self.refused(node, "slices are outside the subset")
        index = self.whole(node.slice)
        if index.bounds.high < 0:
            self.refuse_bounds(node, "an index counts from the start of a row")
        return Code(f"{row.at(ATOM)}[{index.text}]", ATOM, row.kind.of)

    def call(self, node: ast.Call, used: bool = True) -> Code:
        if node.keywords or any(isinstance(a, ast.Starred) for a in node.args):
            raise self.refused(node, "a call takes plain arguments")
        if isinstance(node.func, ast.Name) and node.func.id in ("min", "max", "int", "len"):
            return self.builtin(node.func.id, node)
        text, signature = self.module.function(node.func, self.scopes.locals)
        if len(node.args) != len(signature.parameters):
            raise self.refused(node, f"{text} takes {len(signature.parameters)} arguments")
        arguments = [
            self.fitting(self.value(argument), kind, name, argument)
            for argument, (name, kind) in zip(node.args, signature.parameters, strict=True)
        ]
        kind = signature.returns
        if kind is None:
            if used:
                raise self.refused(node, f"{text} returns nothing")
            kind = Truth()
        return Code(f"{text}({', '.join(arguments)})", ATOM, kind)

    def fitting(self, code: Code, wanted: Kind, name: str, node: ast.expr) -> str:
        """An argument; a number that may not fit its parameter is checked when it runs."""
        if isinstance(wanted, Whole) and isinstance(code.kind, Whole):
            if code.kind.within(wanted):
                return code.text
            if code.kind.low > wanted.high or code.kind.high < wanted.low:
                self.refuse_bounds(node, f"this number does not fit the parameter {name}")
            return checked(code, wanted).text
        if isinstance(wanted, Real) and isinstance(code.kind, Real | Whole):
            return code.text
        if shape(wanted) != shape(code.kind):
            raise self.refused(node, f"this is not what the parameter {name} takes")
        return code.text

    def builtin(self, name: str, node: ast.Call) -> Code:
        codes = [self.value(argument) for argument in node.args]
        if name in ("min", "max"):
            if len(codes) < 2:
                raise self.refused(node, f"{name} takes two values or more")
            text = f"Math.{name}({', '.join(code.text for code in codes)})"
            if all(isinstance(code.kind, Whole) for code in codes):
                choose = min if name == "min" else max
                lows = [code.bounds.low for code in codes]
                highs = [code.bounds.high for code in codes]
                return Code(text, ATOM, Whole(choose(lows), choose(highs)))
            if all(isinstance(code.kind, Real) for code in codes):
                return Code(text, ATOM, Real(all(code.kind == Real(True) for code in codes)))
            raise self.refused(node, f"{name} compares values of one kind")
        if len(codes) != 1:
            raise self.refused(node, f"{name} takes one value")
        code = codes[0]
        if name == "len":
            if not isinstance(code.kind, Row):
                raise self.refused(node, "only rows have a length")
            return Code(f"{code.at(ATOM)}.length", ATOM, Whole(0, INT.high))
        if isinstance(code.kind, Truth):
            return Code(f"+{code.at(UNARY)}", UNARY, Whole(0, 1))
        if not isinstance(code.kind, Whole):
            raise self.refused(node, "int of a fraction is outside the subset")
        return code

    def unary(self, node: ast.UnaryOp) -> Code:
        if isinstance(node.op, ast.Not):
            return self.truth(node)
        code = self.value(node.operand)
        if isinstance(node.op, ast.USub):
            if isinstance(code.kind, Whole):
                kind: Kind = Whole(-code.kind.high, -code.kind.low)
            elif isinstance(code.kind, Real):
                kind = code.kind
            else:
                raise self.refused(node, "only numbers have a negative")
            return Code(f"-{code.at(ATOM)}", UNARY, kind)
        if isinstance(node.op, ast.Invert):
            if not isinstance(code.kind, Whole):
                raise self.refused(node, "only whole numbers have bits")
            code = self.attempt(node, arithmetic.bits, code)
            kind = Whole(~code.bounds.high, ~code.bounds.low)
            return Code(f"~{code.at(UNARY)}", UNARY, kind)
        raise self.refused(node, "a plus sign before a value is outside the subset")

    def compare(self, node: ast.Compare) -> Code:
        if len(node.ops) != 1:
            raise self.refused(node, "comparisons must not be chained")
        op, right = node.ops[0], node.comparators[0]
        left = self.value(node.left)
        if isinstance(op, ast.In | ast.NotIn):
            return self.among(left, right, isinstance(op, ast.NotIn), node)
        if type(op) not in COMPARISONS:
            raise self.refused(node, "only numbers are compared, with ==, !=, <, <=, >, >= and in")
        other = self.value(right)
        numbers = isinstance(left.kind, Whole | Real) and isinstance(other.kind, Whole | Real)
        truths = left.kind == Truth() == other.kind
        if not numbers and not (truths and isinstance(op, ast.Eq | ast.NotEq)):
            raise self.refused(node, "only numbers are compared, or truth values for being equal")
        sign, rank = COMPARISONS[type(op)]
        return Code(f"{left.at(rank + 1)} {sign} {other.at(rank + 1)}", rank, Truth())

    def among(self, left: Code, right: ast.expr, negated: bool, node: ast.Compare) -> Code:
        """a in (B, C): one comparison after the other."""
        if not isinstance(right, ast.Tuple) or not isinstance(node.left, ast.Name):
            raise self.refused(node, "in asks whether a name is one of the values in brackets")
        sign, both, rank = ("!==", "&&", BOTH) if negated else ("===", "||", EITHER)
        values = [self.whole(value) for value in right.elts]
        texts = [f"{left.text} {sign} {value.at(EQUAL + 1)}" for value in values]
        return Code(f" {both} ".join(texts), rank, Truth())

    def attempt(self, node: ast.AST, compute: Callable[..., Code], *given: Any) -> Code:
        """Arithmetic; refuses what is outside the subset."""
        try:
            return compute(*given)
        except OutOfBounds as error:
            self.refuse_bounds(node, str(error))
            return Code("0", ATOM, Whole(0, 0))
        except Unsuited as error:
            raise self.refused(node, str(error)) from None

    # --- words: everything under a mask of 32 bits ------------------------------------------------

    def masked(self, node: ast.BinOp) -> Code | None:
        """x & MASK, where only the lowest 32 bits of x count."""
        if not isinstance(node.op, ast.BitAnd) or not isinstance(node.left, ast.BinOp):
            return None
        mask = self.value(node.right)
        if mask.kind != Whole(WORD.high, WORD.high):
            return None
        if isinstance(node.left.op, ast.Div):
            return None
        return Code(f"{self.lowest_bits(node.left).at(SHIFT)} >>> 0", SHIFT, WORD)

    def lowest_bits(self, node: ast.expr) -> Code:
        """A number of which the lowest 32 bits are right; the others are not."""
        match node:
            case ast.BinOp(left, ast.Mult(), right):
                a, b = self.lowest_bits(left), self.lowest_bits(right)
                return Code(f"Math.imul({a.text}, {b.text})", ATOM, INT)
            case ast.BinOp(left, (ast.Add() | ast.Sub()) as op, right):
                a, b = cut(self.lowest_bits(left)), cut(self.lowest_bits(right))
                return Code(f"{a.at(PLUS)} {SUMS[type(op)]} {b.at(PLUS + 1)}", PLUS, WIDE)
            case ast.BinOp(left, ast.LShift(), right):
                by = self.value(right)
                if not by.bounds.within(Whole(0, 31)):
                    self.refuse_bounds(node, "under a mask, numbers are shifted by 0 to 31 bits")
                a = self.lowest_bits(left)
                return Code(f"{a.at(SHIFT)} << {by.at(SHIFT + 1)}", SHIFT, INT)
            case ast.BinOp(left, (ast.BitOr() | ast.BitXor() | ast.BitAnd()) as op, right):
                a, b = self.lowest_bits(left), self.lowest_bits(right)
                sign, rank = BITWISE[type(op)]
                return Code(f"{a.at(rank)} {sign} {b.at(rank + 1)}", rank, INT)
        return self.whole(node)


def shape(kind: Kind) -> object:
    """A kind without the bounds of its numbers."""
    if isinstance(kind, Whole):
        return Whole
    if isinstance(kind, Row):
        return Row, shape(kind.of)
    return kind
