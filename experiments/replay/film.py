"""A film of a reel: WebM, each picture for exactly as long as it was shown."""

import subprocess
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from PIL import Image

from experiments.replay.reel import Moment, with_strip
from stimuli.errors import UserError

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
    with TemporaryDirectory(prefix="film-", dir=out.absolute().parent) as made:
        folder = Path(made)
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
        said = ended.stderr.strip().splitlines()
        raise UserError(f"--film {out}: can't be written ({said[-1] if said else 'no reason'})")
