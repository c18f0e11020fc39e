"""How ProtoPNet's figures are put into words and tables."""

from collections.abc import Mapping, Sequence
from typing import Any

from bench.book import Effort, table
from bench.parts.words import SOURCE_NAMES, bar, share, verdicts

Found = Mapping[str, Any]

WITHIN = 0.02
READ_AS = ("class", "contribution", "any")
MAPS = 500
"""Held-out digits whose maps are held against their strokes."""


def within_two_points(found: Sequence[Found]) -> dict[str, Any]:
    """Return the bar of accuracy, judged."""

    def behind(figures: Found) -> float:
        return figures["accuracy"]["plain"] - figures["accuracy"]["protopnet"]

    worst = max(found, key=behind)
    apart = f"{abs(100 * behind(worst)):.1f} points {'fewer' if behind(worst) > 0 else 'more'}"
    return bar(
        1,
        "ProtoPNet reads at most 2 points fewer digits than the plain network, on every set and "
        "with every seed",
        f"at worst {apart} ({named(worst)})",
        round(behind(worst), 9) <= WITHIN,
    )


def told(found: Sequence[Found], bars: Sequence[Found], effort: Effort) -> str:
    """Return the section."""
    pictures = []
    for source in dict.fromkeys(figures["source"] for figures in found):
        name = SOURCE_NAMES[source]
        pictures += [
            effort.shown(f"prototypes_{source}.png", f"Prototypes of {name}, framed"),
            effort.shown(f"looks_like_{source}.png", f"{name}: held-out digits and prototypes"),
        ]
    return "\n\n".join(
        [
            "The small network for pictures (`picture_cnn`, 56 pixels) and a ProtoPNet over its "
            "convolutional layers, with the settings of `lab.py build`.",
            verdicts(bars),
            "Share of held-out digits that are classified correctly, with Wilson's 95 % interval:",
            _accuracy_table(found),
            "Accuracy on training digits before the push, after it, and after the last layer was "
            "trained again: " + "; ".join(_push_told(figures) for figures in found) + ".",
            f"Where maps point: of each held-out digit's map (the first {MAPS}) the strongest "
            "pixels, as many as the digit has, and the share of them that lies on the digit's "
            "strokes or at most 2 pixels beside them. One place: the most that a round spot "
            "around one of the latent grid's cells could have; a map of a prototype is hardly "
            "more. Chance: pixels drawn anywhere. LRP is the plain network's. Beside strokes: "
            "prototypes whose patch looks around a pixel that is off all strokes.",
            _cover_table(found),
            "Each prototype (first seed), framed in its training digit; and held-out digits with "
            "the map that uncovers them and its prototype:",
            *pictures,
        ]
    )


def _accuracy_table(found: Sequence[Found]) -> str:
    headings = [
        *("digits", "learnt from", "asked", "plain network", "ProtoPNet"),
        *("different patches", "training, one core"),
    ]
    rows = [
        [
            named(figures),
            str(figures["learnt_from"]),
            str(figures["asked"]),
            _share(figures, "plain"),
            _share(figures, "protopnet"),
            f"{figures['different_patches']} of {figures['prototypes']}",
            f"{figures['seconds']['plain']:.0f} s, {figures['seconds']['protopnet']:.0f} s",
        ]
        for figures in found
    ]
    return table(headings, rows)


def _cover_table(found: Sequence[Found]) -> str:
    columns = (*READ_AS, "lrp", "one_place", "chance")
    headings = ["digits", *READ_AS, "LRP", "one place", "chance", "beside strokes"]
    rows = [
        [
            named(figures),
            *(share(figures["on_strokes"][column]) for column in columns),
            f"{100 * figures['beside_strokes']:.0f} %",
        ]
        for figures in found
    ]
    return table(headings, rows)


def _push_told(figures: Found) -> str:
    return (
        f"{named(figures)} {100 * figures['before_push']:.1f} % in the last epoch before it "
        f"(augmented pictures), {100 * figures['after_push']:.1f} % after it, "
        f"{100 * figures['after_last_layer']:.1f} % at the end, with "
        f"{100 * figures['zero_weights']:.0f} % of the last layer's weights exactly 0"
    )


def named(figures: Found) -> str:
    """Return what digits and which seed figures are of."""
    return f"{SOURCE_NAMES[figures['source']]}, seed {figures['seed']}"


def _share(figures: Found, name: str) -> str:
    low, high = figures["interval"][name]
    return f"{100 * figures['accuracy'][name]:.1f} % ({100 * low:.1f} to {100 * high:.1f})"
