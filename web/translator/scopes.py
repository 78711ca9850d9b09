"""Where the variables of a function live: JavaScript declares them, Python does not."""

from __future__ import annotations

import ast


class Scopes:
    """The variables of a function, and the statements that declare them."""

    def __init__(self, node: ast.FunctionDef) -> None:
        self.parameters = {argument.arg for argument in node.args.args}
        # Every place of a name as the blocks around it, from the outside in.
        self.paths: dict[str, list[tuple[int, ...]]] = {}
        self.loops: dict[str, list[ast.For]] = {}
        self.stored: dict[str, int] = {}
        self.first: dict[tuple[int, str], ast.stmt] = {}
        self.declared: dict[ast.stmt, str] = {}
        for part in ast.walk(node):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                self.stored[part.id] = self.stored.get(part.id, 0) + 1
        self.locals = self.parameters | self.stored.keys()
        self.walk(node.body, (id(node),))
        self.counters = {name for name in self.loops if self.counts_only(name, node)}
        self.hoisted: list[str] = []
        for name in self.stored:
            if name not in self.parameters and name not in self.counters:
                self.place(name)
        once = {name for name in self.locals if self.assignments(name) == 1}
        self.steady = once | self.counters

    def assignments(self, name: str) -> int:
        """How often a name gets a value, its parameter included."""
        return self.stored.get(name, 0) + (name in self.parameters)

    def walk(self, block: list[ast.stmt], path: tuple[int, ...]) -> None:
        for statement in block:
            inner: list[list[ast.stmt]] = []
            own: list[ast.AST] = [statement]
            if isinstance(statement, ast.If | ast.While):
                own, inner = [statement.test], [statement.body, statement.orelse]
            elif isinstance(statement, ast.For):
                own, inner = [statement.target, statement.iter], [statement.body]
                if isinstance(statement.target, ast.Name):
                    self.loops.setdefault(statement.target.id, []).append(statement)
            for part in own:
                for node in ast.walk(part):
                    if isinstance(node, ast.Name):
                        self.paths.setdefault(node.id, []).append(path)
                        self.first.setdefault((path[-1], node.id), statement)
            for blocks in inner:
                for node in (n for s in blocks for n in ast.walk(s)):
                    if isinstance(node, ast.Name):
                        self.first.setdefault((path[-1], node.id), statement)
                self.walk(blocks, (*path, id(blocks)))

    def counts_only(self, name: str, node: ast.FunctionDef) -> bool:
        """Whether a name is only ever the counter of loops, and read nowhere else."""
        if self.stored[name] != len(self.loops[name]) or name in self.parameters:
            return False
        inside = 0
        for loop in self.loops[name]:
            for statement in loop.body:
                inside += sum(isinstance(n, ast.Name) and n.id == name for n in ast.walk(statement))
        everywhere = sum(isinstance(n, ast.Name) and n.id == name for n in ast.walk(node))
        return everywhere == inside + len(self.loops[name])

    def place(self, name: str) -> None:
        """Declare a variable by its first assignment, or at the top if that is not possible."""
        paths = self.paths[name]
        shared = paths[0]
        for path in paths[1:]:
            k = 0
            while k < min(len(path), len(shared)) and path[k] == shared[k]:
                k += 1
            shared = shared[:k]
        statement = self.first.get((shared[-1], name))
        match statement:
            case ast.Assign([ast.Name(target)], value) | ast.AnnAssign(ast.Name(target), _, value):
                reads = value is not None and any(
                    isinstance(n, ast.Name) and n.id == name for n in ast.walk(value)
                )
                if target == name and not reads:
                    self.declared[statement] = "const " if self.stored[name] == 1 else "let "
                    return
        self.hoisted.append(name)

    def declaration(self, node: ast.stmt) -> str:
        """The word before an assignment that declares its variable."""
        return self.declared.get(node, "")
