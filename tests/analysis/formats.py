"""The formats of figures, which `conftest.py` cuts to what a page shows."""

from contextlib import contextmanager

import pytest

from analysis.report import writer

EVERY_FORMAT = ("svg", "png", "pdf")


@contextmanager
def every_format():
    """Write reports as users get them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writer, "FORMATS", EVERY_FORMAT)
        yield


def formats_of(folder):
    """Return the names of the figures in a folder by format, such as ``{".svg": {"flow"}}``."""
    return {f".{kind}": {path.stem for path in folder.glob(f"*.{kind}")} for kind in EVERY_FORMAT}
