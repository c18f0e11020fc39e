"""How the product is cut: files, lines, small modules, untyped results, type errors.

``python -m tests.structure`` prints the figures. ``--list FIGURE`` prints the places that a figure
counts instead. The type checker takes a minute: ``--no-types`` leaves it out.
"""

import argparse
import ast
import io
import sys
import tokenize
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.checker import PLATFORMS, ROOMS, ROOT, checker, problems

PRODUCT = (*ROOMS, "lab_environment", "lab.py")
BESIDE = ("tests", "bench")
RESULTS = "analysis/studies/"
SMALL_LINES = 40
MOST_PARAMETERS = 6
VAGUE = frozenset(("_told", "_said", "_made", "_asked", "_begun"))
NO_CODE = frozenset(
    (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT,
     tokenize.ENDMARKER)
)  # fmt: skip
DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Module:
    """A file of the product.

    Attributes
    ----------
    file
        Its path from the root.
    lines, code_lines
        How many lines it has, and how many hold code: not comments, docstrings, or nothing.
    tree
        Its syntax tree.
    """

    file: str
    lines: int
    code_lines: int
    tree: ast.Module

    @classmethod
    def of(cls, file: str, text: str) -> "Module":
        """Return the module with a text."""
        tree = ast.parse(text)
        return cls(file, len(text.splitlines()), _count_code_lines(text, tree), tree)

    @property
    def name(self) -> str:
        """The name by which it is imported."""
        return self.file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")

    @property
    def folder(self) -> str:
        """The folder in which it lies."""
        return self.file.rpartition("/")[0]

    @property
    def is_package(self) -> bool:
        """Whether it is a package's own file."""
        return self.file.endswith("__init__.py")


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure: its name, what it counts, and the places that it counts."""

    name: str
    meaning: str
    places: Callable[[Sequence[Module]], Iterable[str]]


def read_modules(root: Path = ROOT, product: Sequence[str] = PRODUCT) -> tuple[Module, ...]:
    """Return the product's modules, sorted by path."""
    paths = [
        path
        for place in product
        for path in ((root / place).rglob("*.py") if (root / place).is_dir() else [root / place])
    ]
    files = sorted(path.relative_to(root).as_posix() for path in paths)
    return tuple(Module.of(file, (root / file).read_text(encoding="utf-8")) for file in files)


def result_subscripts(modules: Sequence[Module]) -> Iterator[str]:
    """Yield where a string is a subscript in the studies' analyses, and the string."""
    for module in modules:
        if module.file.startswith(RESULTS):
            for node in ast.walk(module.tree):
                if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
                    key = node.slice.value
                    if isinstance(key, str):
                        yield f"{module.file}:{node.lineno}: {key}"


def small_modules(modules: Sequence[Module]) -> Iterator[str]:
    """Yield modules with few lines of code; a package's own file is none."""
    for module in modules:
        if not module.is_package and module.code_lines < SMALL_LINES:
            yield module.file


def single_importers(modules: Sequence[Module]) -> Iterator[str]:
    """Yield modules that one module alone imports, which lies in the same folder."""
    importers = _importers(modules)
    for module in modules:
        users = importers[module.name]
        if not module.is_package and len(users) == 1 and users[0].folder == module.folder:
            yield f"{module.file} <- {users[0].file}"


def small_with_one_importer(modules: Sequence[Module]) -> Iterator[str]:
    """Yield modules that are both."""
    small = set(small_modules(modules))
    yield from (line for line in single_importers(modules) if line.split(" <- ")[0] in small)


def long_signatures(modules: Sequence[Module]) -> Iterator[str]:
    """Yield functions with many parameters, ``self`` among them."""
    for module in modules:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                given = node.args
                count = len([*given.posonlyargs, *given.args, *given.kwonlyargs])
                count += (given.vararg is not None) + (given.kwarg is not None)
                if count > MOST_PARAMETERS:
                    yield f"{module.file}:{node.lineno}: {node.name}: {count}"


def vague_names(modules: Sequence[Module]) -> Iterator[str]:
    """Yield functions whose names don't say what they do."""
    for module in modules:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.FunctionDef) and node.name in VAGUE:
                yield f"{module.file}:{node.lineno}: {node.name}"


def _each_counted(name: str) -> Callable[[Sequence[Module]], Iterator[str]]:
    """Return what yields a module's file as often as an attribute of it counts."""
    return lambda modules: (one.file for one in modules for _ in range(getattr(one, name)))


FIGURES = (
    Figure("files", "product files", lambda modules: [one.file for one in modules]),
    Figure("lines", "lines", _each_counted("lines")),
    Figure("code", "lines of code", _each_counted("code_lines")),
    Figure("subscripts", "string subscripts in analysis/studies", result_subscripts),
    Figure(
        "keys",
        "different strings among them",
        lambda modules: sorted({line.rpartition(": ")[2] for line in result_subscripts(modules)}),
    ),
    Figure("small", f"modules under {SMALL_LINES} lines of code", small_modules),
    Figure("one-importer", "modules with one importer, in the same folder", single_importers),
    Figure("small-one-importer", "modules that are both", small_with_one_importer),
    Figure("parameters", f"functions with more than {MOST_PARAMETERS} parameters", long_signatures),
    Figure("vague", f"functions named {', '.join(sorted(VAGUE))}", vague_names),
)


def type_errors() -> Iterator[tuple[str, str, int]]:
    """Yield each platform, each part of the product, and how many errors the checker finds."""
    for platform in PLATFORMS:
        counts = Counter(one.file.partition("/")[0] for one in problems(platform, PRODUCT))
        yield from ((platform, place, counts[place]) for place in PRODUCT)


def main(words: Sequence[str] | None = None) -> int:
    """Print the figures as a table in Markdown, or the places of one."""
    asked = _parser().parse_args(words)
    modules = read_modules()
    if asked.list:
        figure = next(one for one in FIGURES if one.name == asked.list)
        print(*figure.places(modules), sep="\n")
        return 0
    print("| figure | number |", "|---|---|", sep="\n")
    for figure in FIGURES:
        print(f"| {figure.meaning} | {len(list(figure.places(modules))):,} |")
    for folder in BESIDE:
        code_lines = sum(module.code_lines for module in read_modules(product=[folder]))
        print(f"| lines of code in {folder} | {code_lines:,} |")
    if asked.types and checker() is not None:
        found = list(type_errors())
        for platform in PLATFORMS:
            by_place = [f"{place} {count}" for name, place, count in found if name == platform]
            total = sum(count for name, _, count in found if name == platform)
            print(f"| type errors, {platform} | {total:,} ({', '.join(by_place)}) |")
    return 0


def _count_code_lines(text: str, tree: ast.Module) -> int:
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines - _docstring_lines(tree))


def _docstring_lines(tree: ast.Module) -> set[int]:
    lines: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            first = node.body[0]
            lines.update(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    return lines


def _importers(modules: Sequence[Module]) -> Mapping[str, list[Module]]:
    """Return who imports each module, by its name."""
    known = {module.name for module in modules}
    importers: dict[str, list[Module]] = defaultdict(list)
    for module in modules:
        named = {name for node in ast.walk(module.tree) for name in _imported(node, module)}
        for name in named & known - {module.name}:
            importers[name].append(module)
    return importers


def _imported(node: ast.AST, module: Module) -> Iterator[str]:
    """Yield the names that a statement may import."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module:
        yield node.module
        yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.structure", description=__doc__)
    parser.add_argument("--list", choices=[one.name for one in FIGURES], help="print its places")
    parser.add_argument(
        "--no-types", dest="types", action="store_false", help="leave out the type checker"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
