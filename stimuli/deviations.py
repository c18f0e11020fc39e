"""Where a protocol differs from the published study: every difference, and whose it is.

The study ships some, with the settings that they rest on. A build and a lab add theirs. What the
protocol sets otherwise than the study's defaults, and no text speaks of, is a difference, too.
"""

from collections.abc import Iterator
from math import isclose
from typing import Any, Final

from stimuli.cases import Cases, of_cases
from stimuli.placeholders import fields_named, filled, flat, in_words
from stimuli.protocol import Deviation, Protocol, load_protocol

ORDER: Final = ("lab", "setting", "build", "study")
WHOSE: Final = {
    "lab": "the lab",
    "setting": "a changed setting",
    "build": "the build",
    "study": "the study",
}
"""Who states a deviation, in words."""
NEITHER: Final = frozenset(
    {
        "schema", "study", "assessment", "name", "seed", "expected_minutes", "deviations", "cases",
        "assignment.seed", "analysis.seed", "analysis.replicates", "analysis.margin_reason",
    }
)  # fmt: skip
"""Fields in which no study differs from a paper."""
OF_LAB: Final = "This protocol sets it."
ROUNDS: Final = {f"session.{kind}_rounds" for kind in ("practice", "warm_up", "catch")}
"""Numbers of rounds that the paper doesn't have: without any, nothing differs from it."""


def differences(protocol: Protocol) -> list[Deviation]:
    """Return all deviations of a protocol, the lab's first, with its values in the texts.

    A text of the study that rests on a setting isn't returned if the protocol changes the setting.
    The setting's own value is then stated in its place.
    """
    default = load_protocol(protocol.catalogue_name)
    before, now = flat(default.resolved()), flat(protocol.resolved())
    changed = {name for name in now if _differ(now[name], before.get(name))} - NEITHER
    stated = [
        deviation
        for deviation in protocol.deviations
        if deviation.cases in (None, _cases(protocol))
    ]
    rows = [
        with_values(deviation, protocol)
        for deviation in stated
        if not changed & _rests_on(deviation)
        and not (deviation.field in ROUNDS and now.get(deviation.field) == 0)
    ]
    rows += _settings(stated, changed, before, now)
    return sorted(rows, key=lambda deviation: ORDER.index(deviation.whose))


def _differ(value: Any, other: Any) -> bool:
    """Return whether two values of a setting differ; a sealed number is rounded."""
    if isinstance(value, float) and isinstance(other, int | float):
        return not isclose(value, other, rel_tol=1e-8)
    return bool(value != other)


def _cases(protocol: Protocol) -> Cases:
    return getattr(protocol, "cases", "images")


def _rests_on(deviation: Deviation) -> set[str]:
    """Return the settings whose default values a text of the study rests on."""
    if deviation.whose != "study":
        return set()
    named = (deviation.field,) if deviation.rests_on is None else deviation.rests_on
    return set(named) - fields_named(deviation.here, deviation.reason)


def _settings(
    stated: list[Deviation], changed: set[str], before: dict[str, Any], now: dict[str, Any]
) -> Iterator[Deviation]:
    """Yield the changed settings of which no text speaks, as deviations."""
    spoken = set[str]()
    for deviation in stated:
        spoken |= fields_named(deviation.here)
        if deviation.whose != "study":
            spoken |= {name for name in changed if f"{name}.".startswith(f"{deviation.field}.")}
    published = {name: deviation.published for deviation in stated for name in _rests_on(deviation)}
    for name in sorted(changed - spoken):
        default = in_words(before[name]) if name in before else "empty"
        yield Deviation(
            field=name,
            published=published.get(name, f"{default} (the suite’s default), or not stated."),
            here=changed_setting(name, now[name]),
            reason=OF_LAB,
            whose="setting",
        )


def changed_setting(name: str, value: Any) -> str:
    """Return what is said of a changed setting of which no text speaks."""
    return f"{name} is {in_words(value)}."


def with_values(deviation: Deviation, protocol: Protocol) -> Deviation:
    """Return a deviation with the protocol's values, worded for what people judge."""
    here, reason = (filled(text, protocol) for text in (deviation.here, deviation.reason))
    if deviation.cases is None and deviation.whose != "lab":
        here, reason = (of_cases(_cases(protocol), text) for text in (here, reason))
    return deviation.model_copy(update={"here": here, "reason": reason})
