"""Where a pack differs from the published study because of the command that built it.

A pack's protocol keeps these as deviations of the build, beside those of the study and of the lab.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final, TypeVar

from stimuli.deviations import changed_setting, differences
from stimuli.placeholders import flat
from stimuli.protocol import Deviation, Protocol, own_values
from xai_backend.options import NamedMethod

OF_COMMAND: Final = "The command that built the pack sets it, or the data that it was given."
ANY = TypeVar("ANY", bound=Protocol)


def stated(built: ANY, file: Path | None, others: Iterable[Deviation] = ()) -> ANY:
    """Return a pack's protocol with all that its build makes differ.

    Parameters
    ----------
    built
        The protocol of the pack.
    file
        The lab's protocol file; None without one.
    others
        What differs and isn't a setting.
    """
    with_others = with_deviations(built, others)
    file_values = {} if file is None else flat(own_values(file, built.catalogue_name)[0])
    of_lab = {changed_setting(name, value) for name, value in file_values.items()}
    settings = (
        of_build(difference.field, difference.published, difference.here, OF_COMMAND)
        for difference in differences(with_others)
        if difference.whose == "setting" and difference.here not in of_lab
    )
    return with_deviations(with_others, settings)


def with_deviations(protocol: ANY, more: Iterable[Deviation]) -> ANY:
    """Return a protocol with further deviations."""
    values = protocol.resolved()
    values["deviations"] += [deviation.model_dump() for deviation in more]
    return type(protocol).model_validate(values)


def of_build(field: str, published: str, here: str, reason: str) -> Deviation:
    """Return a deviation of the build, whose texts are as they are written here.

    ``field`` is a field of the protocol, or the option of the command that makes the difference.
    """
    here, reason = (text.replace("{", "{{").replace("}", "}}") for text in (here, reason))
    return Deviation(field=field, published=published, here=here, reason=reason, whose="build")


def of_methods(
    methods: Mapping[str, NamedMethod], maps: Mapping[str, Path] | None = None
) -> list[Deviation]:
    """Return the deviations of methods that the command defines, or of which it has the maps.

    Parameters
    ----------
    methods, maps
        What ``--method`` and ``--maps`` give, by the method's name.
    """
    means = {
        "--method": {
            name: " ".join((method.what, *method.settings)) for name, method in methods.items()
        },
        "--maps": {
            name: f"the maps in the lab's folder {folder.resolve().name}"
            for name, folder in (maps or {}).items()
        },
    }
    return [
        of_build(option, "No such method is described.", f"{name} is {what}.", OF_COMMAND)
        for option, by_method in means.items()
        for name, what in by_method.items()
    ]
