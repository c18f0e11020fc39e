"""What people read before and after a session, as sheets to sign."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from reportlab.platypus import Flowable, PageBreak

from experiments.screens.library import Library
from experiments.session.booking import lab_values
from experiments.sheets import paper
from experiments.sheets.fonts import use_fonts
from participants.folder import LabFolder
from participants.lab_settings import BLANK
from participants.planning import plans_of
from participants.session import Consent, Page, SessionPlan
from participants.session.leaving import closing
from participants.texts.load import Text
from participants.texts.rig import RigWords
from stimuli.errors import UserError
from stimuli.pack import Pack
from stimuli.study import fonts_in

TO_WRITE_ON = "_" * 48
"""Printed in place of values that ``lab.toml`` lacks."""


@dataclass(frozen=True, slots=True)
class TextVersion:
    """Texts that belong together, as one person reads them.

    Attributes
    ----------
    texts
        Texts in order, with all placeholders filled.
    answers
        Answers to the last text's question, to be ticked.
    """

    texts: tuple[Text, ...]
    answers: tuple[str, ...]


def consent_sheet(pack: Pack, lab: LabFolder, language: str, words: RigWords) -> bytes:
    """Return the consent of a pack's sessions as PDF, with a place to sign.

    The text is the same as on the screen, with the lab's blanks. The foot has its version and
    hash, which a session's journal has too.
    """
    versions = _distinct(_consents(pack, lab, language))
    if not versions:
        raise UserError(f"pack {pack.pack_id}: its sessions ask for no consent")
    return _sheet(pack, versions, words, words["consent"])


def debrief_sheet(pack: Pack, lab: LabFolder, language: str, words: RigWords) -> bytes:
    """Return the texts after a session as PDF, in all versions if arms read different texts."""
    versions = _distinct(_debriefs(pack, lab, language))
    if not versions:
        raise UserError(f"pack {pack.pack_id}: its sessions end without a debrief")
    return _sheet(pack, versions, words, words["debrief"])


def _sheet(pack: Pack, versions: list[TextVersion], words: RigWords, title: str) -> bytes:
    story: list[Flowable] = []
    texts = [text.markdown for read in versions for text in read.texts]
    texts += [*versions[0].answers, *words.words.values()]
    use_fonts(fonts_in(pack), " ".join(texts))
    for number, read in enumerate(versions, start=1):
        if number > 1:
            story.append(PageBreak())
        if len(versions) > 1:
            heading = words.filled("debrief_of", number=str(number), total=str(len(versions)))
            story += [paper.heading(heading), paper.small(words["debrief_why"])]
        parts = [
            [*paper.text_of(text.markdown.replace(BLANK, TO_WRITE_ON)), paper.space(2)]
            for text in read.texts
        ]
        story += [flowable for part in parts for flowable in part]
        if read.answers:
            # Nobody should sign an otherwise empty page: it also has the question or, in a consent
            # of one text, its last lines.
            kept = len(parts[-1]) if len(parts) > 1 else 2
            signed = [
                *story[-kept:],
                paper.choices(read.answers),
                paper.signing(_signatures(words)),
                paper.small(words["kept_apart"]),
            ]
            story[-kept:] = [paper.together(signed)]
    first = versions[0].texts[0]
    foot = words.filled(
        "source",
        text=first.name,
        version=first.version,
        hash=first.sha256[:12],
        pack=pack.pack_id[:12],
    )
    return paper.written(story, paper.PaperText(title, words, foot))


def _signatures(words: RigWords) -> list[tuple[str, str]]:
    return [
        (words["place_date"], words["name"]),
        (words["signature_person"], words["signature_lab"]),
    ]


def _consents(pack: Pack, lab: LabFolder, language: str) -> Iterator[TextVersion]:
    for plan in plans_of(pack, language):
        consents = [step for step in plan.steps if isinstance(step, Consent) and not step.renewed]
        if consents:
            yield _read(
                plan, lab, fonts_in(pack), [(consents[0].text, consents[0].values)], asks=True
            )


def _debriefs(pack: Pack, lab: LabFolder, language: str) -> Iterator[TextVersion]:
    for plan in plans_of(pack, language):
        steps = closing(plan, agreed=True)[:-1]
        named_texts = [(step.text, step.values) for step in steps]
        if any(isinstance(step, Page) for step in steps):
            asks = any(isinstance(step, Consent) for step in steps)
            yield _read(plan, lab, fonts_in(pack), named_texts, asks=asks)


def _read(
    plan: SessionPlan,
    lab: LabFolder,
    fonts: tuple[bytes, ...],
    named_texts: list[tuple[str, Mapping[str, str]]],
    *,
    asks: bool,
) -> TextVersion:
    library = Library(plan.text_folder, plan.language, lab.texts, fonts)
    words, named = library.words(), lab_values(lab, plan)
    texts = tuple(library.text(name, {**named, **values}) for name, values in named_texts)
    return TextVersion(texts, (words["agree"], words["decline"]) if asks else ())


def _distinct(versions: Iterator[TextVersion]) -> list[TextVersion]:
    """Return the distinct versions, each once."""
    return list({tuple(text.sha256 for text in read.texts): read for read in versions}.values())
