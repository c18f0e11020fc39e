"""The studies of a room: which there are, and where each declares what the room needs of it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from stimuli.errors import UserError
from stimuli.outside import has_module, outside_studies


@dataclass(frozen=True, slots=True)
class Catalogue(Mapping[str, Any]):
    """What the studies declare to one room, by the study's name.

    A study of the suite declares it as ``STUDY`` in ``ROOM/studies/NAME/study.py``, one from
    outside in ``NAME/ROOM.py`` (`stimuli.outside`). A module is imported when its study is asked
    for, so that a command loads no other study.

    Attributes
    ----------
    room
        ``stimuli``, ``participants``, ``xai_backend``, ``experiments`` or ``analysis``.
    own
        The suite's own studies, in the order in which they are listed.
    otherwise
        Returns the declaration of a study from outside, by its name, that has no module for the
        room; None where such a study doesn't belong to the room.
    """

    room: str
    own: tuple[str, ...]
    otherwise: Callable[[str], Any] | None = None

    def __getitem__(self, name: str) -> Any:
        """Return a study's declaration; KeyError if the room has no such study."""
        module = self._modules()[name]
        if module is not None:
            return import_module(module).STUDY
        assert self.otherwise is not None
        return self.otherwise(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules())

    def __len__(self) -> int:
        return len(self._modules())

    def __contains__(self, name: object) -> bool:
        # Mapping's own would import the study.
        return name in self._modules()

    def require(self, name: str, where: str = "") -> Any:
        """Return a study's declaration.

        Parameters
        ----------
        name
            The study's name.
        where
            Stands before the message, such as a file's name.

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
        """Return where each study declares what the room needs; None: nowhere."""
        modules: dict[str, str | None] = {
            name: f"{self.room}.studies.{name}.study" for name in self.own
        }
        for name, folder in outside_studies().items():
            if name in modules:
                raise UserError(f"{folder}: {name} is a study of the suite; rename the folder")
            if has_module(folder, self.room):
                modules[name] = f"{name}.{self.room}"
            elif self.otherwise is not None:
                modules[name] = None
        return modules


def studies_of(room: str) -> Catalogue:
    """Return a room's catalogue.

    For parts that studies themselves build on: they can't import the catalogue, and through it
    the studies, without a circle.
    """
    return import_module(f"{room}.studies").STUDIES
