"""What was on the screen and what was pressed, with times; each picture is kept once, in a file.

A film of it is a WebM, which shows each picture for exactly as long as it was shown.
"""

import subprocess
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np
from PIL import Image, ImageDraw, ImageOps

from experiments.engine.picture import Pixels
from experiments.engine.window import SizePx
from experiments.screens.look import font as typeface
from stimuli.errors import UserError
from stimuli.io.canonical import sha256_hex
from stimuli.io.files import owner_only

STRIP: Final = 0.07
"""Height of the strip beneath a picture, as a share of the picture's."""
TEXT: Final = 0.42
"""Size of its text, as a share of the strip's height."""
TICK_S: Final = 1.0
"""The time beneath a picture that stays is written again so often."""


@dataclass(slots=True)
class Shot:
    """A picture that came on the screen.

    Attributes
    ----------
    t_s
        When, in seconds of the replay.
    file
        The picture.
    """

    t_s: float
    file: Path


@dataclass(frozen=True, slots=True)
class Moment:
    """A picture with what stands beneath it, from a time on.

    Attributes
    ----------
    t_s, until_s
        From when to when, seconds of the replay.
    file
        The picture.
    caption
        The trial, and the presses in it so far.
    """

    t_s: float
    until_s: float
    file: Path
    caption: str


class Reel:
    """The pictures of a replay in their order.

    Parameters
    ----------
    folder
        Where the pictures are kept.

    Attributes
    ----------
    shots
        The pictures.
    captions
        What stands beneath them: from when, and the text.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.shots: list[Shot] = []
        self.captions: list[tuple[float, str]] = []

    def add(self, t_s: float, pixels: Pixels) -> None:
        """Add a picture, unless it is the last one again."""
        digest = sha256_hex(np.ascontiguousarray(pixels).tobytes())
        file = self._folder / f"{digest}.tga"
        if self.shots and self.shots[-1].file == file:
            return
        if not file.exists():
            with open(file, "wb", opener=owner_only) as stream:
                # Written five times as fast as PNG; screens are mostly even.
                Image.fromarray(pixels).save(stream, "TGA", compression="tga_rle")
        self.shots.append(Shot(t_s, file))

    def delay(self, first: int, delay_s: float) -> None:
        """Let the pictures from one on come later."""
        for shot in self.shots[first:]:
            shot.t_s += delay_s

    def tell(self, t_s: float, text: str) -> None:
        """Change what stands beneath the pictures from a time on."""
        self.captions.append((t_s, text))

    def moments(self, until_s: float) -> Iterator[Moment]:
        """Yield the pictures with what stands beneath each, and again once a second."""
        captions = sorted(self.captions, key=lambda caption: caption[0])
        shown_s, captions_s = [shot.t_s for shot in self.shots], [at_s for at_s, _ in captions]
        ticks_s = np.arange(0.0, until_s, TICK_S).tolist() if self.shots else []
        first_s = shown_s[0] if shown_s else 0.0
        changes_s = sorted(
            {t_s for t_s in (*shown_s, *captions_s, *ticks_s) if first_s <= t_s < until_s}
        )
        for t_s, after_s in zip(changes_s, (*changes_s[1:], until_s), strict=True):
            text = (
                captions[bisect_right(captions_s, t_s) - 1][1]
                if captions_s and captions_s[0] <= t_s
                else ""
            )
            yield Moment(t_s, after_s, self.shots[bisect_right(shown_s, t_s) - 1].file, text)


def with_strip(moment: Moment, size_px: SizePx | None = None) -> Image.Image:
    """Return a moment's picture with the time, the trial and the presses beneath it.

    Parameters
    ----------
    moment
        The moment.
    size_px
        Size for the picture; None for its own. A session may go on in a window of another size.
    """
    with Image.open(moment.file) as opened:
        picture = opened.convert("RGB")
    if size_px is not None and picture.size != size_px:
        picture = ImageOps.pad(picture, size_px)
    width, height = picture.size
    strip = 2 * round(STRIP * height / 2)
    whole = Image.new("RGB", (width, height + strip), "#111111")
    whole.paste(picture, (0, 0))
    font = typeface(round(TEXT * strip))
    draw, middle = ImageDraw.Draw(whole), height + strip / 2
    indent = strip / 2
    draw.text((indent, middle), clock(moment.t_s), fill="#ffffff", font=font, anchor="lm")
    draw.text(
        (indent + 5 * strip / 2, middle), moment.caption, fill="#d8d8d8", font=font, anchor="lm"
    )
    return whole


def clock(t_s: float) -> str:
    """Return a time as minutes, seconds and milliseconds."""
    minutes, ms = divmod(round(t_s * 1000), 60_000)
    return f"{minutes:02d}:{ms // 1000:02d}.{ms % 1000:03d}"


TICKS_HZ: Final = 1000
"""Times in a WebM file are whole milliseconds."""
QUALITY: Final = ("-c:v", "libvpx-vp9", "-crf", "24", "-b:v", "0", "-row-mt", "1")
QUICK: Final = ("-deadline", "realtime", "-cpu-used", "7")


def write_film(moments: Iterable[Moment], out: Path) -> None:
    """Write a film; an existing file is replaced.

    Parameters
    ----------
    moments
        What it shows.
    out
        The file.

    Raises
    ------
    UserError
        If the film can't be written; the message is one line.
    """
    with TemporaryDirectory(prefix="film-", dir=out.absolute().parent) as temporary:
        folder = Path(temporary)
        lines = ["ffconcat version 1.0"]
        size_px = None
        for number, moment in enumerate(moments):
            file = folder / f"{number:06d}.png"
            if size_px is None:
                with Image.open(moment.file) as first:
                    size_px = first.size
            with_strip(moment, size_px).save(file, compress_level=1)
            lines += [f"file {file.name}", f"option framerate {TICKS_HZ}"]
            lines += [f"duration {moment.until_s - moment.t_s:.6f}"]
        # A picture lasts until the next: the last one comes again.
        lines += [line for line in lines[-3:] if line.startswith("file")]
        (folder / "film.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
        _encode(folder / "film.txt", out)


def _encode(listed: Path, out: Path) -> None:
    # PsychoPy brings it for films of its own.
    from imageio_ffmpeg import get_ffmpeg_exe

    command = [get_ffmpeg_exe(), "-v", "error", "-y", "-f", "concat", "-safe", "0", "-i"]
    command += [
        str(listed),
        "-fps_mode",
        "passthrough",
        *QUALITY,
        *QUICK,
        "-pix_fmt",
        "yuv420p",
        str(out),
    ]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode:
        lines = ended.stderr.strip().splitlines()
        raise UserError(f"--film {out}: can't be written ({lines[-1] if lines else 'no reason'})")
