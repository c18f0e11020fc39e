"""A study's inquiry with some of its questions, or without models, for tests of the others."""

from contextlib import contextmanager
from dataclasses import replace
from types import SimpleNamespace

import pytest

from analysis import run
from analysis.mixed import simplify
from analysis.mixed.result import NotEstimableError


def asking(inquiry, *questions):
    """Return an inquiry that asks these questions alone, beside who took part.

    What is built on must be among them.
    """
    ids = {inquiry.sample.id, *(question.id for question in questions)}

    def kept(listed):
        return tuple(question for question in listed if question.id in ids)

    return replace(
        inquiry,
        questions=kept(inquiry.questions),
        published=None,
        methods=tuple(kept(part) for part in inquiry.methods),
        lacking=kept(inquiry.lacking),
        promised=kept(inquiry.promised),
        headline=kept(inquiry.headline),
        columns={},
    )


@contextmanager
def analysing(inquiry):
    """Have ``analyse`` ask what an inquiry asks, and write nothing for R."""
    study = SimpleNamespace(inquiry=lambda: replace(inquiry, main_fits=lambda _: {}))
    catalogue = SimpleNamespace(require=lambda _: study)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "studies_of", lambda _: catalogue)
        yield


@contextmanager
def without_models():
    """Have no mixed model be fitted: they take most of an analysis's time."""

    def none(*_):
        raise NotEstimableError("this test fits none")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(simplify, "build_design", none)
        yield
