"""What real keys and clicks make of the answer field: each scene beside what is to come of it."""

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from bench.book import Effort, Measured, Part, table
from tests.experiments.windows.probing import told_by

SHOT: Final = "entry.png"
Told = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Scene:
    """Something done to the answer field, and what is to come of it.

    Attributes
    ----------
    name
        In what the probe tells.
    done
        In words.
    entries
        What is to stand in the field after each keystroke, or after the last one alone.
    answer
        The class that is to be confirmed; empty for none.
    refused
        Why an Enter is to be refused; empty for not at all.
    """

    name: str
    done: str
    entries: tuple[str, ...]
    answer: str = ""
    refused: str = ""

    def holds(self, told: Told) -> bool:
        """Return whether what came of it is what was to come."""
        came = tuple(told["entries"])
        confirmed = [class_id for class_id, *_ in told["confirmed"]]
        return (
            came[-len(self.entries) :] == self.entries
            and confirmed == ([self.answer] if self.answer else [])
            and told["refused"] == ([self.refused] if self.refused else [])
        )


SCENES: Final = (
    Scene("umlauts", "ä, ö, ü, ß by their own keys", ("ä", "äö", "äöü", "äöüß")),
    Scene("dead", "dead acute, e, e", ("é", "ée")),
    Scene("dead_at_once", "dead circumflex, o, x within one frame", ("ô", "ôx")),
    Scene("third_level", "AltGr with q, q", ("@", "@q")),
    Scene(
        "edits",
        "a, b, ←, c, Home, Delete, End, Backspace, d, Escape, e",
        ("a", "ab", "ab", "acb", "acb", "cb", "cb", "c", "cd", "", "e"),
    ),
    Scene("no_choice", "s, c, h, Enter: four names begin so", ("sch",), refused="choose"),
    Scene("arrows", "s, c, h, ↓, ↓, Enter", ("",), "Schleie"),
    Scene("tab", "k, e, Tab, Enter", ("k", "ke", "Kettensäge", ""), "Kettensäge"),
    Scene("clicked", "s, c, h, a click on Schloss", ("",), "Schloss"),
    Scene("burst", "six letters within one frame", ("schulb",)),
    Scene("stalled", "five letters while a frame hung for 0.12 s", ("kirch",)),
    Scene("before", "a and Enter before the image's onset, then b", ("b",)),
    Scene("fast", "36 signs at 120 words a minute", ("krankenwagen französisches horn zapf",)),
)


def measure(effort: Effort) -> Measured:
    """Type, edit, choose and click in a real window."""
    effort.say(f"{len(SCENES)} scenes, a German keyboard")
    with tempfile.TemporaryDirectory() as home:
        told = told_by("typing_probe.py", Path(home), str(effort.picture(SHOT)))
    rows = [_row(scene, told[scene.name]) for scene in SCENES]
    held = sum(scene.holds(told[scene.name]) for scene in SCENES)
    text = (
        "A separate process presses real keys of a German layout and real mouse buttons on a "
        "virtual display. The table compares the result in the answer field with the expected "
        f"one. {held} of {len(SCENES)} scenes gave the expected result.\n\n"
        f"{table(('done', 'stood in the field', 'answer', 'as it was to be', 'stamps off'), rows)}"
        "\n\nStamps off: the longest time from sending a key to the time stamp of its effect."
        "\n\n" + effort.shown(SHOT, "The answer field with suggestions, one chosen by arrow key")
    )
    figures = {"scenes": len(SCENES), "held": held, "told": {s.name: told[s.name] for s in SCENES}}
    return Measured(text, figures)


def _row(scene: Scene, told: Told) -> list[str]:
    shown = told["entries"][-len(scene.entries) :]
    answers = [f"{class_id} ({device})" for class_id, device, *_ in told["confirmed"]]
    answers += ["refused: choose one" for _ in told["refused"]]
    return [
        scene.done,
        " · ".join(f"`{entry}`" if entry else "(empty)" for entry in shown),
        ", ".join(answers) or "–",
        "yes" if scene.holds(told) else "**no**",
        f"{1000 * max(told['errors_s'], default=0.0):.1f} ms",
    ]


PARTS: Final = (Part("entry", "Text entry by real keys and clicks", measure),)
