"""What a study declares to the stimuli room.

For titration a study declares fresh plates, with digits that no pack of the protocol shows.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from pathlib import Path, PurePath
from typing import Any, Final

from stimuli.catalogue import studies_of
from stimuli.colour.spaces import Axis
from stimuli.errors import UserError
from stimuli.languages import language_name
from stimuli.maps.origin import Origin
from stimuli.names import ShownText, language_of
from stimuli.pack import Pack
from stimuli.pack.model import pack_in_memory
from stimuli.places import home_of
from stimuli.plates.plate import Plate
from stimuli.plates.spec import PlateSpec
from stimuli.protocol import Protocol, protocol_hash
from stimuli.typeface import FAMILY, missing_signs, mixed_signs, read_font, unset_script

AROUND: Final = 20
"""Characters on either side of a sign that an error shows."""


@dataclass(frozen=True, slots=True)
class FreshPlates:
    """A supply of plates; a person sees each of them once.

    Attributes
    ----------
    spec
        Their look, as in the packs.
    ladders
        Contrast (Δu′v′) of each rung, lowest first, by axis.
    size_deg
        Diameter on the screen, degrees of visual angle.
    draw
        ``draw(number)`` returns the plate of that number, and its digit.
    """

    spec: PlateSpec
    ladders: Mapping[Axis, tuple[float, ...]]
    size_deg: float
    draw: Callable[[int], tuple[Plate, int]]


@dataclass(frozen=True, slots=True)
class Study:
    """A study's stimuli and protocol.

    Attributes
    ----------
    package
        The package that holds the published design; a folder if the study is no package.
    protocol
        The type of its protocol.
    ground_srgb
        Returns the sRGB code (0…255) of the ground on which a protocol shows its stimuli.
    origins
        Returns who made what a pack shows, and how, by what it is in words, such as ``the human
        maps``.
    fresh_plates
        ``fresh_plates(protocol, code, attempt)`` returns the plates by which a person's rung is
        found; None where nobody has a rung.
    texts
        ``texts(pack, language)`` returns all texts that stimuli show in a session in a language.
    files
        Returns the files of a pack of solutions, by path, where they follow from the protocol
        alone; None where networks or explanations are needed. With it a study needs no builder of
        its own.
    design
        The file of the published design.
    """

    package: str | Path
    protocol: type[Protocol]
    ground_srgb: Callable[[Any], tuple[int, int, int]]
    origins: Callable[[Pack], Mapping[str, Origin]] = lambda pack: {}
    fresh_plates: Callable[[Any, str, int], FreshPlates] | None = None
    texts: Callable[[Pack, str], tuple[ShownText, ...]] = lambda pack, language: ()
    files: Callable[[Any], Mapping[str, bytes]] | None = None
    design: str = "protocol.toml"

    @property
    def home(self) -> Traversable:
        """The folder of the published design."""
        return home_of(self.package)

    def written_in(self, name: str) -> str:
        """Return the file of the published design as messages name it."""
        if isinstance(self.package, Path):
            return str(self.package / self.design)
        return f"{name}.toml"

    def published(self) -> str:
        """Return the text of the published design; UserError if the package has none."""
        path = self.home.joinpath(self.design)
        if not path.is_file():
            raise UserError(f"{path}: is missing; write the study's published design there")
        return path.read_text(encoding="utf-8")

    def shipped(self, name: str) -> str | None:
        """Return the text of another protocol file of the package; None if it has none."""
        path = self.home.joinpath(name)
        return path.read_text(encoding="utf-8") if path.is_file() else None


def rules_as_pack(protocol: Protocol) -> Pack:
    """Return in memory the pack of a study whose packs follow from the protocol alone."""
    files = studies_of("stimuli")[protocol.catalogue_name].files
    assert files is not None
    return pack_in_memory(protocol, protocol_hash(protocol), "solutions", files(protocol))


def origins_in(pack: Pack) -> Mapping[str, Origin]:
    """Return who made what a pack shows, and how, by what it is in words."""
    return studies_of("stimuli")[pack.protocol.catalogue_name].origins(pack)


def simulated_people(pack: Pack) -> str:
    """Return, in words, what a pack shows as made by people though robots made it; may be empty."""
    made = {what: origin for what, origin in origins_in(pack).items() if origin.simulated}
    return "; ".join(
        f"{what} come from response models{f' ({origin.note})' if origin.note else ''}"
        for what, origin in made.items()
    )


def texts_in(pack: Pack, language: str) -> tuple[ShownText, ...]:
    """Return all texts that stimuli of a pack show in a session in a language."""
    return studies_of("stimuli")[pack.protocol.catalogue_name].texts(pack, language)


FONTS: Final = "fonts"
"""The folder of a pack that has the fonts which its protocol names."""


def font_files(protocol: Protocol) -> dict[str, bytes]:
    """Return the fonts that a protocol names, as a pack's files; UserError if one can't be had."""
    return {_font_path(name): read_font(name) for name in protocol.fonts}


def fonts_in(pack: Pack) -> tuple[bytes, ...]:
    """Return a pack's own fonts, in the protocol's order; a pack in memory has none."""
    paths = map(_font_path, pack.protocol.fonts)
    return tuple(pack.asset(path) for path in paths if path in pack.manifest.files)


def _font_path(name: str) -> str:
    return f"{FONTS}/{PurePath(name).name}"


def unshowable(pack: Pack) -> str:
    """Return, in words, the first text of a pack that no screen shows right; may be empty."""
    if pack.manifest.kind != "solutions":
        return ""
    fonts = fonts_in(pack)
    entries = [entry for language in pack.protocol.languages for entry in texts_in(pack, language)]
    for entry in entries:
        for text in entry.texts:
            if why := unset_script(text):
                return f"{entry.what}: {why}"
            if missing := missing_signs(text, fonts):
                start = max(0, text.index(missing[0]) - AROUND)
                part = text[start : start + 2 * AROUND].strip()
                names = " and ".join((FAMILY, *pack.protocol.fonts))
                return f"{entry.what}: {names} has no sign {missing[0]!r}, as in {part!r}"
            if why := mixed_signs(text):
                return f"{entry.what}: {why}"
    return ""


def foreign_text(pack: Pack, language: str) -> str:
    """Return, in words, what a session in a language shows in another one; may be empty."""
    if pack.manifest.kind != "solutions":
        return ""
    primary = language.partition("-")[0]
    tags = [(entry.what, entry.language or language_of(" ".join(entry.texts)))
            for entry in texts_in(pack, language)]  # fmt: skip
    return "; ".join(
        f"{what} are in {language_name(tag)}"
        for what, tag in tags
        if tag.partition("-")[0] not in ("", primary)
    )


def foreign_texts(pack: Pack) -> dict[str, str]:
    """Return what sessions show in a language other than their own, by the session's language."""
    by_language = {language: foreign_text(pack, language) for language in pack.protocol.languages}
    return {language: what for language, what in by_language.items() if what}
