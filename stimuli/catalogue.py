"""The catalogue of studies: which studies there are, and what each declares to a room.

A lab's ``lab.toml`` lists the folders of studies outside the suite. Each folder has the study's
modules, or a file that describes a study from a table; then each room has a general study for what
the folder has no module for.
"""

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from pkgutil import resolve_name
from traceback import extract_tb
from typing import Any, Final

from stimuli.errors import UserError
from stimuli.places import lab_root

OUTSIDE: Final = "PLAINSIGHT_STUDIES"
"""Environment variable: folders of studies, separated as in PATH. The command line sets it from
``lab.toml``; child processes inherit it."""
LAB_FILE: Final = "lab.toml"
KEY: Final = "studies"
TABLE_FILE: Final = "study.toml"
"""The file that makes a folder a study from a table."""


def outside_studies() -> dict[str, Path]:
    """Return the folder of each outside study, by name: a package, or a study from a table.

    Raises
    ------
    UserError
        If a folder isn't there, or can't be a package of its name.
    """
    folders: dict[str, Path] = {}
    for text in filter(None, os.environ.get(OUTSIDE, "").split(os.pathsep)):
        folder = Path(text)
        name = folder.name
        is_package = (folder / "__init__.py").is_file()
        if not is_package and not is_from_table(folder):
            raise UserError(
                f"{LAB_FILE}: {KEY}: {folder} is not a study (it has no __init__.py and no "
                f"{TABLE_FILE}); mount its disk, or correct the list"
            )
        if folders.setdefault(name, folder) != folder:
            raise UserError(f"{LAB_FILE}: {KEY}: two studies are called {name}; rename a folder")
        if is_package:
            _make_importable(folder)
    return folders


def is_from_table(folder: Path) -> bool:
    """Return whether a folder is a study from a table."""
    return (folder / TABLE_FILE).is_file()


def has_module(folder: Path, room: str) -> bool:
    """Return whether a study's folder has a module for a room."""
    return (folder / f"{room}.py").is_file() or (folder / room / "__init__.py").is_file()


def declared_studies(lab: Path) -> list[Path]:
    """Return the folders of studies that a lab folder's ``lab.toml`` lists; none without one.

    Raises
    ------
    UserError
        If the file or the list isn't valid.
    """
    path = lab / LAB_FILE
    if not path.exists():
        return []
    from stimuli.io.given_files import read_toml

    listed = read_toml(path).get(KEY, [])
    if not isinstance(listed, list) or not all(isinstance(path, str) for path in listed):
        raise UserError(f'{path}: {KEY}: write a list of folders, such as ["~/studies/moods"]')
    return [lab / Path(path).expanduser() for path in listed]


@contextmanager
def studies_of_the_lab(arguments: Sequence[str]) -> Iterator[list[Path]]:
    """Make the studies in the lab folder's list known to a command; yield their folders.

    Parameters
    ----------
    arguments
        As typed; ``--lab`` names the lab folder, `stimuli.places.lab_root` is the default.
    """
    if OUTSIDE in os.environ:
        yield [Path(text) for text in os.environ[OUTSIDE].split(os.pathsep) if text]
        return
    folders = declared_studies(lab_of(arguments).expanduser().absolute())
    os.environ[OUTSIDE] = os.pathsep.join(map(str, folders))
    try:
        yield folders
    finally:
        del os.environ[OUTSIDE]


def place_of_fault(fault: Exception, folders: Sequence[Path]) -> str:
    """Return the study and the line that a fault came from; empty if outside these folders.

    It is the study's last line in the traceback, or the line that Python can't parse.
    """
    lines = [(frame.filename, frame.lineno) for frame in extract_tb(fault.__traceback__)]
    if isinstance(fault, SyntaxError) and fault.filename:
        lines.append((fault.filename, fault.lineno))
    for file, line in reversed(lines):
        for folder in folders:
            if Path(file).is_relative_to(folder):
                return f"the study {folder.name}, {Path(file).relative_to(folder)}, line {line}"
    return ""


def lab_of(arguments: Sequence[str]) -> Path:
    """Return the lab folder that a command names by ``--lab``, or else the usual one."""
    for number, word in enumerate(arguments):
        if word == "--lab" and number + 1 < len(arguments):
            return Path(arguments[number + 1])
        if word.startswith("--lab="):
            return Path(word.removeprefix("--lab="))
    return lab_root()


def _make_importable(folder: Path) -> None:
    """Append a study's parent folder to the path, so that it can't hide other modules."""
    parent = str(folder.parent)
    if parent not in sys.path:
        sys.path.append(parent)
    spec = find_spec(folder.name)
    origin = None if spec is None else spec.origin
    if origin is None or not Path(origin).samefile(folder / "__init__.py"):
        raise UserError(
            f"{folder}: Python has another module called {folder.name}; rename the study"
        )


@dataclass(frozen=True, slots=True)
class Later:
    """A function of a module that is imported only when it is called.

    A declaration of a study names its plans and robots so: who reads tables doesn't import them.

    Attributes
    ----------
    place
        ``MODULE:NAME``.
    """

    place: str

    def __call__(self, *arguments: Any) -> Any:
        """Import the function, and call it."""
        return self.load()(*arguments)

    def load(self) -> Any:
        """Import the module, and return what it calls by the name."""
        return resolve_name(self.place)


@dataclass(frozen=True, slots=True)
class Catalogue(Mapping[str, Any]):
    """The studies' declarations for one room, by the study's name.

    A study of the suite declares it as ``STUDY`` in ``ROOM/studies/NAME/study.py``, one from
    outside in ``NAME/ROOM.py`` (`outside_studies`). For a study from a table,
    ``ROOM/table_study/study.py`` declares it. A module is imported when its study is asked for, so
    that a command loads no other study.

    Attributes
    ----------
    room
        ``stimuli``, ``participants``, ``xai_backend``, ``experiments`` or ``analysis``.
    shipped
        The suite's own studies, in the order in which they are listed.
    otherwise
        Returns the declaration for an outside study that has no module for the room, by its name;
        None if such a study doesn't belong to the room.
    """

    room: str
    shipped: tuple[str, ...]
    otherwise: Callable[[str], Any] | None = None

    def __getitem__(self, name: str) -> Any:
        """Return a study's declaration; KeyError if the room has no such study."""
        module = self._modules()[name]
        if module is not None:
            return import_module(module).STUDY
        folder = outside_studies()[name]
        if is_from_table(folder) and find_spec(f"{self.room}.table_study") is not None:
            return import_module(f"{self.room}.table_study.study").declare(folder)
        assert self.otherwise is not None
        return self.otherwise(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules())

    def __len__(self) -> int:
        return len(self._modules())

    def __contains__(self, name: object) -> bool:
        # Mapping's own method would import the study.
        return name in self._modules()

    def require(self, name: str, where: str = "") -> Any:
        """Return a study's declaration.

        Parameters
        ----------
        name
            The study's name.
        where
            Prefix of the message, such as a file's name.

        Raises
        ------
        UserError
            If the room has no such study.
        """
        if name not in self:
            before = f"{where}: " if where else ""
            raise UserError(f"{before}no study {name!r}; take one of {', '.join(sorted(self))}")
        return self[name]

    def _modules(self) -> dict[str, str | None]:
        """Return the module of each study's declaration for the room, or None."""
        modules: dict[str, str | None] = {
            name: f"{self.room}.studies.{name}.study" for name in self.shipped
        }
        for name, folder in outside_studies().items():
            if name in modules:
                raise UserError(f"{folder}: {name} is a study of the suite; rename the folder")
            if has_module(folder, self.room):
                modules[name] = f"{name}.{self.room}"
            elif self.otherwise is not None or is_from_table(folder):
                modules[name] = None
        return modules


def studies_of(room: str) -> Catalogue:
    """Return a room's catalogue.

    For modules that studies build on: importing the catalogue, which imports the studies, would be
    circular.
    """
    return import_module(f"{room}.studies").STUDIES
