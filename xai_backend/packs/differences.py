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
    told = with_deviations(built, others)
    own = {} if file is None else flat(own_values(file, built.catalogue_name)[0])
    of_lab = {changed_setting(name, value) for name, value in own.items()}
    settings = (
        of_build(one.field, one.published, one.here, OF_COMMAND)
        for one in differences(told)
        if one.whose == "setting" and one.here not in of_lab
    )
    return with_deviations(told, settings)


def with_deviations(protocol: ANY, more: Iterable[Deviation]) -> ANY:
    """Return a protocol with further deviations."""
    values = protocol.resolved()
    values["deviations"] += [one.model_dump() for one in more]
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
        "--method": {name: " ".join((one.what, *one.settings)) for name, one in methods.items()},
        "--maps": {
            name: f"the maps in the lab's folder {folder.resolve().name}"
            for name, folder in (maps or {}).items()
        },
    }
    return [
        of_build(option, "No such method is described.", f"{name} is {what}.", OF_COMMAND)
        for option, given in means.items()
        for name, what in given.items()
    ]
