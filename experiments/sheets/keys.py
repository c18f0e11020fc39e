"""The experimenter's key card: which keys do what, on pages, in the task, at any time."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from reportlab.lib.pagesizes import A4
from reportlab.lib.units import mm
from reportlab.platypus import Flowable, Paragraph, Table, TableStyle

from experiments.pages.text_pages import CHORD, LEAVE_KEY, NEXT
from experiments.pages.waiting import ABORT_KEY, NOTE_KEY, PAUSE_KEY
from experiments.screens.parts import Hint
from experiments.screens.strokes import MouseHint, ToolHint
from experiments.sheets import paper
from experiments.sheets.fonts import in_fonts, use_fonts
from experiments.study import screens_of
from participants.folder import LabFolder
from participants.planning import plans_of
from participants.session import Break, SessionPlan, TimedChoice
from participants.texts import Words, load_words
from participants.texts.rig import RigWords
from stimuli.devices import is_pointing
from stimuli.pack import Pack
from stimuli.study import fonts_in

CAPS = 62 * mm


@dataclass(frozen=True, slots=True)
class KeyRow:
    """Keys and what they do; keys in a set are pressed together."""

    sets: tuple[tuple[str, ...], ...]
    action: str


def key_card(pack: Pack, lab: LabFolder, language: str, words: RigWords) -> bytes:
    """Return the key card of a pack's sessions as a PDF of one page."""
    plan = plans_of(pack, language)[0]
    screen = load_words(plan.text_folder, language, lab.texts)
    title = words.filled("keys_of", study=screen[plan.title])
    use_fonts(fonts_in(pack), " ".join([title, *screen.words.values(), *words.words.values()]))
    story: list[Flowable] = [
        *paper.text_of(f"# {title}"),
        paper.heading(words["keys_always"]),
        _table(_chords(screen, words)),
        paper.heading(words["keys_pages"]),
        _table(_page_keys(plan, screen, words)),
    ]
    if task := _task_keys(pack, plan, screen) or _answer_keys(plan, screen, words):
        story += [paper.heading(words["keys_task"]), _table(task)]
    if len(plan.keys) > 1:
        story += [paper.space(2), paper.small(words["keys_sides"])]
    return paper.written(story, paper.PaperText(title, words, f"Pack {pack.pack_id[:12]}"))


def _chords(screen: Words, words: RigWords) -> list[KeyRow]:
    chords = {
        PAUSE_KEY: "keys_pause",
        NOTE_KEY: "keys_note",
        ABORT_KEY: "keys_stop",
        "return": "keys_last",
    }
    return [KeyRow((_caps(screen, *CHORD, key),), words[name]) for key, name in chords.items()]


def _page_keys(plan: SessionPlan, screen: Words, words: RigWords) -> list[KeyRow]:
    rows = [
        KeyRow((_caps(screen, NEXT),), words["keys_next"]),
        KeyRow((_caps(screen, "left"),), words["keys_back"]),
        KeyRow((("1 … 9",),), words["keys_choose"]),
        KeyRow((_caps(screen, "return"),), words["keys_confirm"]),
    ]
    if any(isinstance(step, Break) and step.may_leave for step in plan.steps):
        rows.append(KeyRow((_caps(screen, LEAVE_KEY),), words["keys_break"]))
    return rows


def _task_keys(pack: Pack, plan: SessionPlan, screen: Words) -> list[KeyRow]:
    hints = screens_of(pack).load_parts().keys(plan, screen)
    return [KeyRow(_sets(hint, screen), hint.words) for hint in hints]


def _answer_keys(plan: SessionPlan, screen: Words, words: RigWords) -> list[KeyRow]:
    """Return the keys of all choices, for studies whose items have different answers."""
    choices = [step for step in plan.steps if isinstance(step, TimedChoice)]
    sides = {
        key: screen.keys.get(f"mouse_{key}", key) if is_pointing(choice.device) else screen.cap(key)
        for choice in choices
        for key in choice.options
    }
    return [KeyRow(tuple((cap,) for cap in sides.values()), words["keys_answer"])] if sides else []


def _sets(hint: ToolHint, screen: Words) -> tuple[tuple[str, ...], ...]:
    if isinstance(hint, Hint):
        return tuple((cap,) for cap in hint.caps)
    assert isinstance(hint, MouseHint)
    return ((screen.keys.get(f"mouse_{hint.side}", hint.side),),)


def _caps(screen: Words, *keys: str) -> tuple[str, ...]:
    return tuple(screen.cap(key) for key in keys)


def _table(rows: Sequence[KeyRow]) -> Flowable:
    cells = [[_Caps(row.sets), Paragraph(in_fonts(row.action), paper.style())] for row in rows]
    table = Table(cells, colWidths=[CAPS, A4[0] - 2 * paper.MARGIN - CAPS], hAlign="LEFT")
    table.setStyle(
        TableStyle(
            [
                ("VALIGN", (0, 0), (-1, -1), "MIDDLE"),
                ("LEFTPADDING", (0, 0), (-1, -1), 0),
                ("TOPPADDING", (0, 0), (-1, -1), 1.6 * mm),
                ("BOTTOMPADDING", (0, 0), (-1, -1), 1.6 * mm),
                ("LINEBELOW", (0, 0), (-1, -2), 0.3, paper.LINE),
            ]
        )
    )
    return table


class _Caps(Flowable):
    """Drawn keys: a plus joins keys that are pressed together; other sets are beside them."""

    SIZE_PT = 8.5
    HEIGHT = 6.2 * mm

    def __init__(self, sets: Iterable[Sequence[str]]) -> None:
        super().__init__()
        self._sets = [list(caps) for caps in sets]
        self.width, self.height = CAPS, self.HEIGHT

    def draw(self) -> None:
        """Draw them in a row."""
        canvas, left = self.canv, 0.0
        canvas.setFont(paper.PLAIN, self.SIZE_PT)
        canvas.setStrokeColor(paper.INK)
        canvas.setFillColor(paper.INK)
        canvas.setLineWidth(0.5)
        for caps in self._sets:
            for number, cap in enumerate(caps):
                if number:
                    canvas.drawString(left + 1 * mm, 2 * mm, "+")
                    left += 4.2 * mm
                wide = max(self.HEIGHT, canvas.stringWidth(cap) + 3.6 * mm)
                canvas.roundRect(left, 0.2 * mm, wide, self.HEIGHT - 0.6 * mm, 1.2 * mm)
                canvas.drawCentredString(left + wide / 2, 2 * mm, cap)
                left += wide
            left += 2.2 * mm
