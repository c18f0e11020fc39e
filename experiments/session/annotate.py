"""What the `annotate` verb does before and after an expert's session, and what it says."""

import json
from dataclasses import asdict, replace
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from experiments.session.command import prepared, say_what_was_missed, warn, warn_of_priority
from experiments.session.request import RunRequest
from experiments.study import TaskPackMaker
from participants.dataset.map_sets import Gathered, gather, write_gathered
from participants.folder import DataFolder, LabFolder
from participants.journal import read_journal
from participants.session import withdrawal_in
from stimuli.catalogue import studies_of
from stimuli.pack.folder import MANIFEST


def annotate_verb(
    request: RunRequest,
    *,
    as_json: bool,
    protocol: Path | None = None,
    names: Path | None = None,
) -> None:
    """Check the rig, ask for what is missing, run the session, write the map set."""
    lab = LabFolder.open(request.lab)
    if is_image_set(request.target):
        source = Path(request.target).expanduser()
        made = _task_pack_maker()(source, lab, protocol, names)
        request = replace(request, target=str(made))
    pack = request.find_pack(lab)
    console = Console(stderr=True)
    request, preflight = prepared(request, lab, pack, console)
    from experiments.session.run import run

    ran = run(
        request,
        lab,
        pack,
        preflight,
        lambda: warn(console, preflight, request),
        lambda found: warn_of_priority(console, found),
    )
    say_what_was_missed(console, ran)
    data = request.data_folder(lab)
    place, gathered = None, None
    if ran.complete and (gathered := own_maps(data, ran.session)):
        place = data.map_set(ran.session)
        write_gathered(place, gathered)
    if as_json:
        known = {"plates": _plates(gathered), "map_set": None if place is None else str(place)}
        print(json.dumps({**asdict(ran), **known}))
        return
    how = "complete" if ran.complete else "not finished; the same command goes on with it"
    console.print(f"Session {ran.session}: {how}.", soft_wrap=True)
    if ran.complete and gathered is None:
        console.print("The data were withdrawn: they are in no table and no map set.")
    if place is not None:
        _say_map_set(console, place, gathered)


def own_maps(data: DataFolder, session: str) -> Gathered | None:
    """Return what was painted in a complete session; None if its data were withdrawn."""
    if withdrawal_in(read_journal(data.session(session).journal)):
        return None
    return gather(data, sessions=frozenset({session}))


def _plates(gathered: Gathered | None) -> int:
    return 0 if gathered is None else len(gathered.map_set.records)


def _say_map_set(console: Console, place: Path, gathered: Gathered | None) -> None:
    console.print(f"{_plates(gathered)} maps, a map set in {escape(str(place))}", soft_wrap=True)


def is_image_set(target: str) -> bool:
    """Return whether what was named is a set of images, not a pack or a study."""
    path = Path(target).expanduser()
    return path.is_file() or (path.is_dir() and not (path / MANIFEST).exists())


def _task_pack_maker() -> TaskPackMaker:
    """Return how images at hand become a task pack: by the one study that marks images."""
    studies = studies_of("experiments").values()
    return next(study.task_pack_of for study in studies if study.task_pack_of is not None)
