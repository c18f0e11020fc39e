"""What the verb `annotate` does before and after an expert's session, and what it says."""

from dataclasses import replace
from pathlib import Path

from rich.markup import escape

from experiments.session.command import conduct, say_whether_complete
from experiments.session.request import RunRequest
from experiments.study import TaskPackMaker
from participants.dataset.map_sets import Gathered, gather, write_gathered
from participants.folder import DataFolder, LabFolder
from participants.journal import read_journal
from participants.session import withdrawal_in
from stimuli.catalogue import studies_of
from stimuli.pack.folder import MANIFEST, refuse_archive
from stimuli.rich_terminal import Console


def annotate_verb(
    request: RunRequest,
    *,
    as_json: bool,
    protocol: Path | None = None,
    names: Path | None = None,
) -> None:
    """Run an expert's session, write the map set and print a summary."""
    lab, console = LabFolder.open(request.lab), Console(stderr=True)
    if is_image_set(request.target):
        source = Path(request.target).expanduser()
        refuse_archive(source)
        task_pack = _task_pack_maker()(source, lab, protocol, names)
        request = replace(request, target=str(task_pack))
    conducted = conduct(request, lab, console)
    ran = conducted.ran
    data = request.data_folder(lab)
    gathered = own_maps(data, ran.session) if ran.complete else None
    place, maps = None, 0
    if gathered is not None:
        place, maps = data.map_set(ran.session), len(gathered.map_set.records)
        write_gathered(place, gathered)
    if as_json:
        print(conducted.as_json(plates=maps, map_set=None if place is None else str(place)))
        return
    say_whether_complete(console, ran)
    if place is not None:
        console.print(f"{maps} maps, a map set in {escape(str(place))}", soft_wrap=True)
    elif ran.complete:
        console.print("The data were withdrawn: they are in no table and no map set.")


def own_maps(data: DataFolder, session: str) -> Gathered | None:
    """Return the maps painted in a complete session; None if its data were withdrawn."""
    if withdrawal_in(read_journal(data.session(session).journal)):
        return None
    return gather(data, sessions=frozenset({session}))


def is_image_set(target: str) -> bool:
    """Return whether a target is a set of images, not a pack or a study."""
    path = Path(target).expanduser()
    return path.is_file() or (path.is_dir() and not (path / MANIFEST).exists())


def _task_pack_maker() -> TaskPackMaker:
    """Return the function that makes a task pack of images, from the study that declares it."""
    studies = studies_of("experiments").values()
    return next(study.task_pack_of for study in studies if study.task_pack_of is not None)
