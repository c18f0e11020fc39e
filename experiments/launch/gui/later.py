"""Work beside the window: it runs in a thread, and the window learns the result."""

from collections.abc import Callable
from typing import TypeVar

from PyQt6.QtCore import QObject, QRunnable, QThreadPool, pyqtSignal

from stimuli.errors import UserError

Found = TypeVar("Found")


class _Bell(QObject):
    """Rings in the window's thread."""

    rung = pyqtSignal(object, object)


class _Work(QRunnable):
    def __init__(self, work: Callable[[], object], bell: _Bell) -> None:
        super().__init__()
        self._work, self._bell = work, bell

    def run(self) -> None:
        """Do the work; what goes wrong in it is raised where the result is awaited."""
        found, failed = None, None
        try:
            found = self._work()
        except BaseException as error:
            failed = error
        self._bell.rung.emit(found, failed)


def later(parent: QObject, work: Callable[[], Found], then: Callable[[Found], None]) -> None:
    """Do work in a thread, then something with its result in the window's.

    Parameters
    ----------
    parent
        Whose work it is: with it the result is forgotten.
    work
        May take long; touches nothing of the window.
    then
        Gets the result.
    """
    bell = _Bell(parent)

    def learn(found: Found, failed: BaseException | None) -> None:
        bell.deleteLater()
        if failed is not None:
            raise failed
        then(found)

    bell.rung.connect(learn)
    pool = QThreadPool.globalInstance()
    assert pool is not None
    pool.start(_Work(work, bell))


def attempted(work: Callable[[], Found]) -> tuple[Found | None, str]:
    """Return what was found, or the one line of a mistake."""
    try:
        return work(), ""
    except UserError as mistake:
        return None, str(mistake)
