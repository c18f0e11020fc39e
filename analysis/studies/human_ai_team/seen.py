"""What participants saw: which image of the pack stands for all, with every arm's help."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from analysis.report.seen import Pixels, at_most, picture_of
from participants.studies.human_ai_team.arms import help_texts
from participants.texts.load import load_words
from stimuli.images.names import words_of
from stimuli.pack import Pack
from stimuli.studies.human_ai_team.protocol import HUMAN_ALONE, HumanAiTeam, help_kind
from stimuli.studies.human_ai_team.tables import HELPS, ITEMS, KEY, LABELS

LARGEST_PX: Final = 224
LANGUAGE: Final = "en"


def seen_results(pack: Pack | None, arms: Sequence[str]) -> dict[str, Any] | None:
    """Return which trial the figure shows, with its screen in each arm; None without a pack.

    Parameters
    ----------
    pack
        With its pictures.
    arms
        Those that answered; the pack's others stand after them.

    Returns
    -------
    dict
        ``presentation, ai_correct, confidence`` (per cent), ``image``; ``screens``: by arm
        ``kind`` of help and ``files``, or ``text``, and the words above and below.
    """
    if pack is None:
        return None
    protocol = pack.protocol
    assert isinstance(protocol, HumanAiTeam)
    key = [row for row in pack.table(KEY) if row["role"] == "main" and not row["adversarial"]]
    if not key:
        return None
    chosen = min(key, key=lambda row: (not row["ai_correct"], row["level"] != "easy", row["item"]))
    name = str(chosen["presentation"])
    item = next(row for row in pack.table(ITEMS) if row["presentation"] == name)
    names = words_of(pack.table(LABELS), LANGUAGE)
    label = names.get(str(item["shown_label"]), str(item["shown_label"]))
    helps = [row for row in pack.table(HELPS) if row["presentation"] == name]
    order = [*arms, *(arm for arm in protocol.help.arms if arm not in arms)]
    percent = int(item["confidence_percent"])
    return {
        "presentation": name,
        "ai_correct": bool(chosen["ai_correct"]),
        "confidence": percent,
        "image": str(item["image_file"]),
        "screens": [
            _screen(arm, helps, label, percent) for arm in order if arm in protocol.help.arms
        ],
    }


def _screen(
    arm: str, helps: Sequence[Mapping[str, Any]], label: str, percent: int
) -> dict[str, Any]:
    """Return an arm's help and words, as a session shows them."""
    own = sorted((row for row in helps if row["arm"] == arm), key=lambda row: row["place"])
    text = next((row["help_text"] for row in own if row["help_text"]), None)
    files = [str(row["help_file"]) for row in own if row["help_file"]]
    words, kind = load_words("human_ai_team", LANGUAGE), help_kind(arm)
    shown = {"label": label, "percent": str(percent), "count": str(len(files))}
    said = "proposal" if arm == HUMAN_ALONE else "advice"
    return {
        "arm": arm,
        "kind": kind,
        "files": files,
        "text": text,
        "said": words.filled(said, **shown),
        "question": words.filled("question", **shown),
        "heading": "" if kind == "none" else words.filled(help_texts(arm), **shown),
        "answers": [words["yes"], words["no"]],
    }


def pictures(pack: Pack, results: Mapping[str, Any]) -> dict[str, Pixels]:
    """Return the figure's pictures by their path in the pack."""
    seen = results["seen"]
    if seen is None:
        return {}
    wanted = [seen["image"], *(path for screen in seen["screens"] for path in screen["files"])]
    maps = {p for s in seen["screens"] if s["kind"] == "heatmap" for p in s["files"]}
    return {
        path: at_most(picture_of(pack.asset(path), "L" if path in maps else "RGB"), LARGEST_PX)
        for path in wanted
    }
