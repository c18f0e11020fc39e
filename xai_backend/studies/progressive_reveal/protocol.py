"""The protocol of a progressive_reveal pack, with what the command line and the digits change."""

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from stimuli.errors import UserError
from stimuli.images.digits import Digits
from stimuli.protocol import Deviation, load_protocol
from stimuli.studies.progressive_reveal.protocol import HUMAN, ProgressiveReveal, Training
from xai_backend.methods import Method, method_of
from xai_backend.methods.lrp import Lrp
from xai_backend.models.picture_cnn import ARCHITECTURE as PICTURE_CNN
from xai_backend.models.picture_cnn import INPUT_PX
from xai_backend.options import NONE_ASKED, NamedMethod, check_named
from xai_backend.own_code import refuse_code
from xai_backend.packs.differences import OF_COMMAND, of_build, of_methods, stated
from xai_backend.packs.origins import name_in_pack
from xai_backend.protopnet import small
from xai_backend.studies.progressive_reveal.maps import Brought
from xai_backend.studies.progressive_reveal.request import RevealRequest

NAME: Final = "progressive_reveal"
DIGIT_CLASSES: Final = 10
PUBLISHED_INPUT_PX: Final = 224
"""Side of the input, in pixels, for which the published patch and stride are meant."""
MINUTES_A_ROUND: Final = 1.2


def resolved(
    file: Path | None, seed: int | None, model: str | None, digits: Digits | None
) -> ProgressiveReveal:
    """Return the protocol of a pack.

    Parameters
    ----------
    file
        Protocol file; None for the published defaults. Digits have ten classes, so without a file
        the defaults are fitted to them (`fitted_line` says so).
    seed, model
        Replace the protocol's.
    digits
        The digits, if digits are shown.

    Raises
    ------
    UserError
        If the protocol isn't valid, or a network is named for digits, which have their own network.
    """
    changes: dict[str, Any] = {} if seed is None else {"seed": seed}
    if digits is not None:
        if model is not None and model != PICTURE_CNN:
            raise UserError(
                f"--model {model} goes with images of your own (--source); digits are solved by "
                f"{PICTURE_CNN}, which is trained on the spot"
            )
        changes |= _for_digits(_loaded(file, changes), file is None)
    elif model is not None:
        changes |= {"system": {"network": name_in_pack(model)}}
    protocol = _loaded(file, changes)
    if model is None:
        refuse_code(protocol.system.network, f"{file or NAME}: system.network")
    return protocol


def with_differences(
    protocol: ProgressiveReveal, request: RevealRequest, people: Brought | None
) -> ProgressiveReveal:
    """Return a pack's protocol with what its build makes differ from the study.

    ``people`` are human maps that exist already.
    """
    others = [*_others(protocol, request, people), *of_methods(request.methods, request.maps)]
    return stated(protocol, request.protocol_file, others)


def _others(
    protocol: ProgressiveReveal, request: RevealRequest, people: Brought | None
) -> Iterator[Deviation]:
    """Yield what differs and isn't a setting: images, people's maps, a network from elsewhere."""
    if not request.records:
        named = "digits" if request.of_digits else f"images of {Path(str(request.source)).name}"
        yield of_build(
            "--source", "Images are photographs of ClickMe.", f"People see {named}.", OF_COMMAND
        )
    if request.of_digits:
        yield of_build(
            "system.network",
            "The network is ResNet-50.",
            f"The network is {protocol.system.network}, which is trained on the digits.",
            "A network for photographs doesn't know digits.",
        )
        if protocol.training != _loaded(None).training and protocol.training == _training():
            yield of_build(
                "training",
                "How ProtoPNet was trained isn't stated.",
                "ProtoPNet is trained with fewer prototypes and passes than by default.",
                "Digits are small and much alike.",
            )
    has_human_maps = HUMAN in protocol.reveal.methods and not request.for_bubbling
    if has_human_maps and (people is None or people.origin.simulated):
        who = f"{request.players} bubblers an image" if people is None else people.origin.note
        yield of_build(
            "--robot-bubblers",
            "Human maps are those of ClickMe's players.",
            f"Human maps are of robots: {who}.",
            "They let the study be tried out. They are no baseline of people.",
        )
    if request.protopnet is not None:
        yield of_build(
            "--protopnet",
            "How ProtoPNet was trained isn't stated.",
            f"It was trained elsewhere, and comes from {request.protopnet.name}. What is said of "
            "training on this page doesn't hold for it.",
            OF_COMMAND,
        )


def fitted_line(protocol: ProgressiveReveal) -> str:
    """Return the line that says that the defaults were fitted to digits."""
    return (
        f"digits: {protocol.images.classes} classes × {protocol.images.images_per_class} images, "
        f"{protocol.session.sittings} sittings of {protocol.session.rounds_per_sitting} rounds; "
        "--protocol says it otherwise"
    )


def checked(
    protocol: ProgressiveReveal, choices: Mapping[str, NamedMethod], maps: Collection[str]
) -> None:
    """Refuse methods that don't exist, before any long work.

    Parameters
    ----------
    protocol
        The protocol, which names the methods.
    choices
        What names of methods stand for, from the command line.
    maps
        Methods whose maps the lab provides.

    Raises
    ------
    UserError
        If a method's name or settings are impossible.
    """
    check_named({"--method": choices, "--maps": maps}, protocol.reveal.methods)
    for name in protocol.reveal.methods:
        if name != HUMAN and name not in maps:
            reveal_method(name, protocol, choices)


def reveal_method(
    name: str, protocol: ProgressiveReveal, choices: Mapping[str, NamedMethod] = NONE_ASKED
) -> Method:
    """Return the method of a name, with the protocol's settings; UserError if there is none.

    Parameters
    ----------
    name
        As in ``reveal.methods``.
    protocol
        It has the settings of occlusion, LRP and ProtoPNet.
    choices
        What names of methods stand for, from the command line.
    """
    if name in choices:
        return choices[name].method()
    system = protocol.system
    if name == Lrp.name and system.lrp_composite != Lrp.composite_name:
        raise UserError(
            f"system.lrp_composite is {system.lrp_composite!r}, must be {Lrp.composite_name!r}"
        )
    settings = {
        "patch_px": system.patch_px,
        "stride_px": system.stride_px,
        "reading": system.prototype_reading,
    }
    return method_of(name, settings)


def _loaded(file: Path | None, changes: Mapping[str, Any] | None = None) -> ProgressiveReveal:
    protocol = load_protocol(NAME, file, changes)
    assert isinstance(protocol, ProgressiveReveal)
    return protocol


def _for_digits(protocol: ProgressiveReveal, fitted: bool) -> dict[str, Any]:
    """Return the changes for digits: their network, and settings meant for larger networks."""
    published = _loaded(None)
    system: dict[str, Any] = {"network": PICTURE_CNN}
    for field in ("patch_px", "stride_px"):
        value = getattr(published.system, field)
        if getattr(protocol.system, field) == value:
            system[field] = max(1, round(value * INPUT_PX / PUBLISHED_INPUT_PX))
    changes: dict[str, Any] = {"system": system}
    if protocol.training == published.training:
        changes["training"] = dict(_training())
    if fitted:
        sittings = protocol.session.sittings
        rounds = -(-DIGIT_CLASSES * protocol.images.images_per_class // sittings)
        caught = -(-protocol.session.catch_rounds // sittings)
        changes |= {
            "name": "digits",
            "expected_minutes": float(round(MINUTES_A_ROUND * (rounds + caught))),
            "images": {"classes": DIGIT_CLASSES},
            "session": {"rounds_per_sitting": rounds},
        }
    return changes


def _training() -> Training:
    """Return ProtoPNet's settings for digits."""
    usual = small()
    return Training(**{name: getattr(usual, name) for name in Training.model_fields})
