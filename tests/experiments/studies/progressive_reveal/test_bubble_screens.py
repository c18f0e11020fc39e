"""Every screen of a session in which images are marked, held to what all screens are."""

from functools import cache

import numpy as np

from stimuli.pack.model import pack_in_memory
from stimuli.protocol import load_protocol, protocol_hash
from stimuli.studies.progressive_reveal.material import Picture
from stimuli.studies.progressive_reveal.tasks import compose_tasks
from tests.experiments.screens.laid_out import (  # noqa: F401 - collected here too
    each_case,
    test_every_text_is_large_enough,
    test_every_text_stands_within_the_safe_area,
    test_lines_are_short_enough_to_be_read,
    test_no_two_texts_overlap,
)
from tests.experiments.studies.progressive_reveal.bubble_rehearsal import rehearse_bubbling

SLOW_CASES = [("en", (1280, 720)), ("de", (1920, 1080))]
NAMES = {
    "n02100236": ("German short-haired pointer", "Deutsch Kurzhaar"),
    "n03394916": ("French horn", "Waldhorn"),
    "n03417042": ("garbage truck", "Müllabfuhrlastkraftwagen"),
}
SHOWN = {
    "abort", "pause", "bubble_consent", "bubble_instructions", "bubble_tools", "bubble_start",
    "image", "bubble_break", "bubble_debrief", "bubble_end", "bubble_welcome_back",
    "consent_renewed", "withdrawn",
}  # fmt: skip


@cache
def pack():
    changes = {"images": {"size_px": 64}, "session": {"break_every_rounds": 2}}
    protocol = load_protocol("progressive_reveal", None, changes)
    rng = np.random.default_rng(1)
    pictures = [
        Picture(f"{name}/1.png", name, rng.integers(20, 200, (64, 64, 3), dtype=np.uint8))
        for name in NAMES
    ]
    words = {
        (name, language): said
        for name, both in NAMES.items()
        for language, said in zip(("en", "de"), both, strict=True)
    }
    files = compose_tasks(pictures, words)
    return pack_in_memory(protocol, protocol_hash(protocol), "tasks", files)


@cache
def shown_in(language, size_px):
    return rehearse_bubbling(pack(), language, size_px)


case, screens = each_case(shown_in, [("de", (1280, 720))], SLOW_CASES)


def test_a_session_shows_all_that_it_can_show(screens):
    assert {screen.name.partition("-")[0] for screen in screens} >= SHOWN


def test_whoever_marks_images_is_told_of_images_not_of_rounds(screens):
    said = " ".join(text.text.casefold() for screen in screens for text in screen.texts)
    assert "round" not in said
    assert "durchg" not in said
