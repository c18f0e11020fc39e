"""Tables of experts' sessions: every answer with its painting, and every expert's record."""

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Final

import numpy as np
from PIL import Image

from participants.dataset.sidecar import sidecar_bytes
from participants.dataset.write import put_table
from participants.files import make_private, safe_name, write_file
from participants.folder import DataFolder
from participants.strokes.painting import Mask
from participants.studies.accept_reject.columns import ANNOTATIONS, EXPERTS
from participants.studies.accept_reject.expert_sessions import (
    ExpertSession,
    PaintedPlate,
    expert_sessions,
)
from stimuli.errors import UserError
from stimuli.images.sets import NO_SOLUTION
from stimuli.io.tables import Row, TableSchema

REGIONS: Final = "regions"
HASH_DIGITS: Final = 8


def write_expert_tables(data: DataFolder) -> None:
    """Write ``annotations.csv``, ``experts.csv`` and the paintings, if there are experts.

    Where the last expert withdrew, the tables are written again without a row. A painting is drawn
    once: its file's name says which mask it holds. A session whose strokes don't give the mask that
    was on screen is left out, and named beside the table.

    Raises
    ------
    UserError
        If the folder can't be written.
    """
    found, left_out = expert_sessions(data)
    if not found and not (data.tables / f"{EXPERTS.name}.csv").exists():
        return
    folder = data.tables / REGIONS
    make_private(folder)
    experts = []
    for expert in found:
        try:
            drawn = _drawn(data, expert)
        except UserError as error:
            left_out[expert.session] = str(error)
            continue
        experts.append(expert)
        for path, content in drawn.items():
            write_file(path, content)
    rows = [_row(expert, plate) for expert in experts for plate in expert.plates]
    _clear_away(folder, {Path(str(row["region_file"])).name for row in rows})
    _write(data, ANNOTATIONS, rows, left_out)
    _write(data, EXPERTS, [_record(expert) for expert in experts])


def _write(
    data: DataFolder,
    schema: TableSchema,
    rows: Sequence[Row],
    left_out: Mapping[str, str] | None = None,
) -> None:
    described = sidecar_bytes(schema, left_out=left_out)
    put_table(data.tables, schema.name, schema, rows, described)


def _drawn(data: DataFolder, expert: ExpertSession) -> dict[Path, bytes]:
    """Return an expert's paintings that aren't drawn yet, by their files."""
    files = {plate: _region_file(expert, plate) for plate in expert.plates}
    missing = {
        data.tables / file: plate
        for plate, file in files.items()
        if file is not None and not (data.tables / file).exists()
    }
    return {path: _png(plate.mask) for path, plate in missing.items()}


def _row(expert: ExpertSession, plate: PaintedPlate) -> Row:
    return {
        "participant": expert.participant,
        "item": plate.item,
        "label": plate.label,
        "region_file": _region_file(expert, plate),
        "rt_s": plate.rt_s,
        "session": expert.session,
        "purpose": expert.purpose,
        "pack_id": expert.pack_id,
        "use": plate.use,
        "axis": plate.axis,
        "rung": plate.rung,
        "right_label": plate.right_label,
        "done_s": plate.done_s,
        "area": plate.area,
        "robot": expert.robot or None,
    }


def _record(expert: ExpertSession) -> Row:
    plates = expert.plates
    painted = [plate.area for plate in plates if plate.label != NO_SOLUTION]
    return {
        "participant": expert.participant,
        "session": expert.session,
        "purpose": expert.purpose,
        "pack_id": expert.pack_id,
        "robot": expert.robot or None,
        "complete": expert.complete,
        "plates": len(plates),
        "no_solution": sum(plate.label == NO_SOLUTION for plate in plates),
        "controls": expert.controls,
        "controls_right": expert.right,
        "failed": expert.failed,
        "rt_s": _median([plate.rt_s for plate in plates]),
        "area": _median(painted),
        "low_contrast": expert.faint,
        "low_contrast_right": expert.faint_right,
    }


def _region_file(expert: ExpertSession, plate: PaintedPlate) -> str | None:
    if plate.label == NO_SOLUTION:
        return None
    name = f"{expert.participant}-{plate.item}-{plate.mask_sha256[:HASH_DIGITS]}"
    return f"{REGIONS}/{safe_name(name)}.png"


def _median(values: Sequence[float]) -> float | None:
    return float(median(values)) if values else None


def _png(mask: Mask) -> bytes:
    stream = io.BytesIO()
    Image.fromarray(mask.astype(np.uint8) * 255).save(stream, "PNG", optimize=True)
    return stream.getvalue()


def _clear_away(folder: Path, known: set[str]) -> None:
    """Delete paintings that no row names any more."""
    for path in folder.glob("*.png"):
        if path.name not in known:
            path.unlink(missing_ok=True)
