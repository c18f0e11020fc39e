"""What every page of a case is held to."""

from pathlib import Path

import numpy as np
import pytest

from experiments.pages.settings import ScreenSettings
from experiments.rig.profile import read_rig
from experiments.screens.foot import body_area
from experiments.screens.look import Look
from experiments.studies.simulatability.cases import CasePainter, CaseScreens
from experiments.studies.simulatability.pieces import HYPHEN
from participants.texts import load_words
from stimuli.protocol import load_protocol

LIGHT = (245, 244, 240)
SIZES = [(1280, 720), (1920, 1080)]
USUAL_SIZES = [SIZES[0], pytest.param(SIZES[1], marks=pytest.mark.slow)]
"""Both have one shape: what is laid out on one is laid out alike on the other, but for rounding."""


def screens_at(size_px, language="en", ground=LIGHT, presentation="drawn"):
    """Return what draws cases on a screen that nobody measured."""
    rig = read_rig(Path("no such rig"))
    protocol = load_protocol("simulatability", None, {"look": {"presentation": presentation}})
    painter = CasePainter(None, protocol, rig.colours)
    words = load_words("simulatability", language)
    look = Look(size_px, ground, language)
    return CaseScreens(ScreenSettings(painter, rig, look, words, {}))


def pages_of(screens, task):
    """Return the pages of a task's case, each once."""
    deck = screens.deck(task)
    return [deck.leaves[leaf].pieces for leaf in sorted(deck.answered)]


def assert_sound(screens, task, pages):
    """No two pieces overlap, none leaves the room for the case, each text fits its piece."""
    body = body_area(screens.look, screens.foot(task).kind)
    for page in pages:
        areas = np.array([piece.area for piece in page])
        left, top, right, bottom = areas.T
        assert (left < right).all()
        assert (top < bottom).all()
        assert left.min() >= body[0]
        assert top.min() >= body[1]
        assert right.max() <= body[2]
        assert bottom.max() <= body[3]
        across = np.minimum(right[:, None], right) - np.maximum(left[:, None], left)
        down = np.minimum(bottom[:, None], bottom) - np.maximum(top[:, None], top)
        overlaps = (across > 0) & (down > 0)
        np.fill_diagonal(overlaps, False)
        one, other = (pairs[:1] for pairs in np.nonzero(overlaps))
        assert not len(one), (page[one[0]], page[other[0]])
        for piece in page:
            if piece.text:
                width = screens.look.font(piece.size_px, piece.weight).getlength(piece.text)
                assert width <= piece.area[2] - piece.area[0], piece


def said_on(page):
    """Return all that a page says, without blanks, and without the hyphens of cut words."""
    texts = [piece.text for piece in page if piece.text]
    parts = [text.removesuffix(HYPHEN) for text in texts]
    return "".join("".join(parts).split())


def assert_says(pages, expected):
    """Every expected text stands whole on some page."""
    whole = "".join(map(said_on, pages))
    for text in expected:
        bare = "".join(part.removesuffix(HYPHEN) for part in text.split())
        assert bare in whole or in_order(text, whole), (text, whole)


def in_order(text, whole):
    """Return whether a text's words stand in their order, with numbers or changes between them."""
    at = 0
    for part in text.split():
        at = whole.find(part.removesuffix(HYPHEN), at)
        if at < 0:
            return False
        at += len(part.removesuffix(HYPHEN))
    return True


def texts_of(screens, stimulus):
    """Return all that a case must say: its input, its changes, its explanation."""
    names = dict(stimulus.words)
    columns = getattr(stimulus.original, "columns", ())

    def named(value):
        return names.get(value) or bin_said(columns, value, screens.look.language) or value

    found = [
        " ".join(stimulus.original.tokens)
        if stimulus.original.kind == "text"
        else " ".join(names.get(column, column) for column in stimulus.original.columns)
    ]
    if stimulus.original.kind == "table":
        found += map(named, stimulus.original.values)
    for change in stimulus.edits or ():
        found += [named(change.old), named(change.new)]
    classes = dict(stimulus.classes)
    found += [classes[told] for told in (stimulus.label, stimulus.output) if told is not None]
    if stimulus.explanation is not None:
        found += list(_explained(stimulus.explanation, screens, named, classes))
    return found


def bin_said(columns, value, language):
    """Return what a bin of numbers reads as, such as ``over 28 to 37``; None of other values."""
    column = next((one for one in columns if one in value), None)
    if column is None or not set("<≤>") & set(value):
        return None
    low, high = (part.strip(" <≤=") for part in value.split(column))
    over, to, up_to = ("über", "bis", "bis") if language == "de" else ("over", "to", "up to")
    low, high = (f"{float(end.strip(' >')):g}" if end else "" for end in (low, high))
    if language == "de":
        low, high = low.replace(".", ","), high.replace(".", ",")
    if ">" in value:
        return f"{over} {high}"
    return f"{over} {low} {to} {high}" if low else f"{up_to} {high}"


def _explained(explanation, screens, named, classes):
    german = screens.look.language == "de"

    def number(value, signed=True):
        sign = "" if f"{abs(value):.2f}" == "0.00" else "−" if value < 0 else "+"
        return sign + f"{abs(value):.2f}".replace(".", "," if german else ".")

    match explanation.kind:
        case "lime":
            sums = (explanation.baseline, explanation.weights_sum, explanation.total)
            yield from map(number, sums)
            for term in explanation.features:
                yield number(term.weight)
        case "omission" | "prototype":
            whole = explanation.margin if explanation.kind == "omission" else explanation.evidence
            yield number(whole)
            for term in explanation.terms:
                yield number(term.weight)
        case "anchor":
            yield classes[explanation.outcome]
        case "boundary":
            yield classes[explanation.target]
            if explanation.margin is not None:
                yield number(explanation.margin)
            for step in explanation.steps:
                if step.margin is not None:
                    yield number(step.margin)
                for change in step.edits:
                    yield named(change.new)
        case "composite":
            for part in ("lime", "anchor", "boundary", "prototype"):
                yield from _explained(getattr(explanation, part), screens, named, classes)
        case "rationale":
            yield explanation.text
    if explanation.kind == "prototype":
        yield classes[explanation.label]
        shown = explanation.prototype
        if shown.kind == "text":
            yield " ".join(shown.tokens)
        else:
            yield from map(named, shown.values)
    for term in (*getattr(explanation, "features", ()), *getattr(explanation, "terms", ())):
        yield ": ".join(map(named, term.name.split(" = ")))
