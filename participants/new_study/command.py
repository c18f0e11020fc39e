"""The command ``new-study``."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from participants import options

STEPS = """\
{study}: a study of a timed choice; {lab} lists it.{note}
1. Build its pack and see it in a window:
   python3 lab.py build {name} --out packs/{name}
   python3 lab.py run packs/{name} --robot first
2. Simulate people and read the report:
   python3 lab.py simulate {name} --participants 20 --out data/{name}
   python3 lab.py analyse {name} --data data/{name} --out reports/{name}
3. Change it, as {study}{sep}README.md says, and test it:
   python3 lab.py test {study}"""
OTHER_LAB = " Commands without --lab know it if PLAINSIGHT_LAB is that folder."


def new_study(
    name: Annotated[str, typer.Argument(help="Its name: small letters, digits and _.")],
    pictures: Annotated[
        bool, typer.Option("--pictures", help="Items are pictures. Default: only words.")
    ] = False,
    parent: Annotated[
        Path,
        typer.Option("--in", metavar="DIR", help="Where the study's folder is made."),
    ] = Path("studies"),
    lab: options.Lab = None,
) -> None:
    """Write a small working study, and add it to the lab folder's list of studies.

    Participants choose one of two answers to each item within a time limit. The study has a pack,
    sessions in a window, robots, tables, a report, a preregistration and tests. Every command
    finds it from now on.

    Example: python3 lab.py new-study moods

    Example: python3 lab.py new-study shapes --pictures
    """
    import os

    from participants.folder import LabFolder
    from participants.lab_settings import declare_study
    from participants.new_study.files import check_name, write_study
    from stimuli.catalogue import LAB_FILE
    from stimuli.places import lab_root

    check_name(name)
    folder = LabFolder.open(lab)
    study = parent.expanduser().absolute() / name
    write_study(study, pictures=pictures)
    declare_study(folder.root / LAB_FILE, study)
    # `test` runs in the checkout, all else where it is typed.
    here = Path.cwd() == Path(sys.argv[0]).absolute().parent
    shown = study.relative_to(Path.cwd()) if here and study.is_relative_to(Path.cwd()) else study
    note = "" if folder.root == lab_root().expanduser().absolute() else OTHER_LAB
    listed = folder.root / LAB_FILE
    print(STEPS.format(study=shown, name=name, lab=listed, note=note, sep=os.sep))
