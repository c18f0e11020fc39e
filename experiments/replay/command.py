"""The verb `replay`: a session shown again, in a window or as a film."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

from experiments.replay.options import ReplayOptions
from experiments.replay.reel import write_film
from experiments.replay.session import Replay, replayed
from participants.folder import DataFolder, LabFolder
from participants.journal import read_journal
from stimuli.errors import UserError
from stimuli.pack import Pack, open_pack
from stimuli.pack.folder import MANIFEST, read_manifest
from stimuli.rich_terminal import Console


def replay_verb(session: str, options: ReplayOptions, *, as_json: bool) -> int:
    """Show a session again; return 3 if something else is shown than its journal says."""
    lab = LabFolder.open(options.lab)
    data = lab.data if options.data is None else DataFolder(options.data.absolute())
    paths = data.session(session)
    if not paths.began:
        hint = "type `participants show CODE` for a person's sessions"
        raise UserError(f"session {session}: is not in {data.root}; {hint}")
    journal, console = read_journal(paths.journal), Console(stderr=True)
    pack = _pack_of(str(journal.header["pack_id"]), options.pack, lab)
    with TemporaryDirectory(prefix="replay-") as folder:
        console.print("Showing the session again; this may take minutes", highlight=False)
        replay = replayed(journal, pack, data, lab, Path(folder))
        _show(replay, options)
    if as_json:
        figures = {"flips": replay.flips, "differences": list(replay.differences)}
        print(json.dumps({"session": session, "trials": len(replay.trials), **figures}))
    else:
        print(_line(replay))
    for difference in replay.differences:
        console.print(difference, highlight=False, markup=False)
    return 3 if replay.differences else 0


def _show(replay: Replay, options: ReplayOptions) -> None:
    """Write the film, or open the window."""
    begins_s, ends_s = 0.0, replay.ends_s
    if options.trials is not None:
        first, last = options.trials
        spans = [span for trial, span in replay.trials.items() if first <= trial <= last]
        if not spans:
            hint = (
                f"it has trials {min(replay.trials, default=0)} to {max(replay.trials, default=0)}"
            )
            raise UserError(f"--trials {first}-{last}: the session has none of them; {hint}")
        begins_s, ends_s = min(at for at, _ in spans), max(until for _, until in spans)
    moments = [moment for moment in replay.reel.moments(ends_s) if moment.until_s > begins_s]
    if options.film is not None:
        write_film(moments, options.film)
        return
    from experiments.replay.player import play

    play(moments)


def _line(replay: Replay) -> str:
    compared = f"{replay.flips} onsets and offsets compared with the journal"
    if not replay.differences:
        return f"{len(replay.trials)} trials; {compared}: all on the same frame."
    return f"{len(replay.trials)} trials; {compared}: {len(replay.differences)} things differ."


def _pack_of(pack_id: str, folder: Path | None, lab: LabFolder) -> Pack:
    """Return a session's pack, from a given folder or the lab's packs."""
    folders = [path.parent for path in sorted(lab.packs.glob(f"*/{MANIFEST}"))]
    for candidate in folders if folder is None else [folder.expanduser()]:
        if read_manifest(candidate).pack_id == pack_id:
            return open_pack(candidate)
    if folder is not None:
        raise UserError(f"--pack {folder}: isn't the session's pack {pack_id}; name that one")
    raise UserError(f"{lab.packs}: lacks the session's pack {pack_id}; name its folder with --pack")
