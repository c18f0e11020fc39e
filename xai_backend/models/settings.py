"""How a network takes its pictures, in a file of settings beside its weights."""

import tomllib
from pathlib import Path
from typing import Annotated, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from stimuli.errors import UserError
from xai_backend.models.frame import IMAGENET_MEAN, IMAGENET_STD, Fit, InputFrame, OddPx, Resizer

SUFFIX: Final = ".toml"
FOLDER_FILE: Final = "model.toml"
LARGEST_PX: Final = 4096

Side = Annotated[int, Field(ge=8, le=LARGEST_PX)]
Share = Annotated[float, Field(ge=0, le=1, strict=False)]
Code = Annotated[int, Field(ge=0, le=255)]
Spread = Annotated[float, Field(gt=0, le=1, strict=False)]


class ModelSettings(BaseModel):
    """What must be known of a network to show it a picture; the defaults are ImageNet's.

    A picture is resized to ``resize_px`` as ``fit`` says, the centre of ``side_px`` is cut out or
    a border added, and each channel becomes (code / 255 - mean) / std.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    side_px: Side = Field(default=224, description="Side of the square that the network sees.")
    resize_px: Side | None = Field(
        default=None, description="Side after resizing; fit says which. Default: side_px."
    )
    fit: Fit = Field(
        default="crop",
        description="crop: the shorter side is resized to resize_px. pad: the longer side is. "
        "squash: both are.",
    )
    interpolation: Literal["bilinear", "bicubic", "lanczos"] = Field(
        default="bilinear", description="How pictures are resized."
    )
    odd_px: OddPx = Field(
        default="even",
        description="How the edge of the centre is rounded where an odd number of pixels is cut.",
    )
    border: tuple[Code, Code, Code] = Field(
        default=(0, 0, 0), description="RGB codes of a border, 0…255."
    )
    resizer: Resizer = Field(default="pillow", description="The library that resizes.")
    mean: tuple[Share, Share, Share] = Field(
        default=IMAGENET_MEAN, description="Of red, green and blue, as fractions 0…1."
    )
    std: tuple[Spread, Spread, Spread] = Field(
        default=IMAGENET_STD, description="Of red, green and blue."
    )
    channels: Literal["rgb", "bgr"] = Field(
        default="rgb", description="Order in which the network takes colours."
    )
    classes: tuple[str, ...] = Field(default=(), description="The classes, in the outputs' order.")
    last_features: str = Field(
        default="", description="Module that gives the last feature maps, which GradCAM weights."
    )

    @property
    def frame(self) -> InputFrame:
        """What the network sees of a photograph."""
        return InputFrame(
            self.resize_px or self.side_px,
            self.side_px,
            self.interpolation,
            self.fit,
            self.odd_px,
            self.border,
            self.resizer,
        )

    @property
    def determine_input(self) -> bool:
        """Whether enough is stated to show the network a picture without knowing its usual."""
        return self.model_fields_set >= {"side_px", "mean", "std"}

    def over(self, usual: Self) -> Self:
        """Return the same, where what isn't stated is a network's usual.

        A side or a fit that is stated brings its own resizing: the usual one belongs to another.
        """
        stated = {name: getattr(self, name) for name in self.model_fields_set}
        if {"side_px", "fit"} & stated.keys():
            stated.setdefault("resize_px", None)
        return usual.model_copy(update=stated)


def settings_beside(place: Path) -> ModelSettings | None:
    """Return the settings that lie beside a file or in a folder; None where there are none.

    Beside ``net.pt`` that is ``net.toml``, in a folder ``model.toml``.

    Raises
    ------
    UserError
        If the file can't be read or holds something else.
    """
    path = place / FOLDER_FILE if place.is_dir() else place.with_suffix(SUFFIX)
    if not path.is_file():
        return None
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
        for name in ("mean", "std", "border", "classes"):
            if isinstance(document.get(name), list):
                document[name] = tuple(document[name])
        return ModelSettings.model_validate(document)
    except OSError as fault:
        raise UserError(f"{path}: can't be read ({fault.strerror})") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as fault:
        raise UserError(f"{path}: is not valid TOML ({fault})") from None
    except ValidationError as fault:
        first = fault.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise UserError(f"{path}: {field}: {first['msg']}") from None
