"""Custody: whether anything that is done to records goes unnoticed."""

from bench.book import Book
from bench.parts import tampering

BOOK = Book(
    name="custody",
    title="When records are missing or changed",
    intro=(
        "This page says how Plainsight notices records that were deleted, cut, changed or copied "
        "in, what each command then does, and what can't be noticed. Type `python3 lab.py bench "
        "custody` to try all of it again.\n\n"
        "## The rule\n\n"
        "Every command that reads a data folder asks the same question: **who is expected, who is "
        "here, and who must not be here?** `tables`, `analyse`, `export`, `mapset`, `merge`, "
        "`backup`, `restore` and `doctor` answer it in the same words: `can't be trusted: …`, one "
        "line for each session, table or tombstone, and why.\n\n"
        "| exit status | what it means |\n"
        "| --- | --- |\n"
        "| 0 | The command did its work. A line `Note: …` says what isn't confirmed. |\n"
        "| 2 | The command refused. Nothing was done, or (`backup`, `restore`) not all. |\n"
        "| 3 | The command did its work without records that are missing or can't be trusted; "
        "`merge`, `backup` and `restore` copy them as they are. |\n\n"
        "`doctor` ends with 2, as for every check that fails.\n\n"
        "## Who knows what\n\n"
        "- **The registry** knows each session, where it was recorded, and the journal's number of "
        "lines and last link. In the lab's own data folder all sessions are expected that were "
        "recorded there. A folder that was moved, copied or merged should have a PC's sessions up "
        "to the last one that it has; later ones were recorded after the copy. Sessions of other "
        "PCs, of another `--data` folder, and of a PC from which they were taken over aren't "
        "expected.\n"
        "- **`tables/trials.json`** knows the same of the journals that were there when the tables "
        "were last written. If a session is missing, its entry stays: writing the tables again "
        "doesn't make it forgotten.\n"
        "- **`session.json`** beside a journal follows from the journal. If it says anything else, "
        "or a journal is missing beside it, the session can't be trusted.\n"
        "- **The journal** has a chain: a changed or missing line breaks it. It also has the id of "
        "its session, so a copy under another name is noticed.\n"
        "- **A pack's copy** has the seal of the pack. Where a person withdrew, a word stands in "
        "place of the code; the copy is taken only if putting the code of a tombstone back gives "
        "the sealed file.\n"
        "- **Tombstones** are in the registry; `withdrawn.csv` is its copy. All commands leave out "
        "whom one of them names, on every PC that shares the registry. If only the file names a "
        "person whom the registry knows, the file can't be trusted; the person stays left out "
        "until you decide.\n\n"
        "If you delete a session on purpose, type `python3 lab.py participants withdraw CODE`: "
        "then nobody expects it. To begin an empty data folder, name a new one in `lab.toml` "
        "(`data`).\n\n"
        "## What can't be noticed\n\n"
        "- **Without a registry**, such as on a PC without the lab folder, somebody can cut or "
        "delete a session if they change `session.json` and `trials.json` to match. "
        "Every command says that no registry confirms the journals.\n"
        "- **Tables without journals**: rows can't be checked. If `trials.json` says that there "
        "were journals, `analyse` refuses. If nobody knows of any, as in a table from elsewhere, "
        "the first warning of the report says so.\n"
        "- **Somebody who can write everywhere**, the registry too, can change everything to "
        "match. Keep [backups](backup.md) where they can't, and compare.\n"
        "- A session that was killed before its first trial, and then deleted, is unknown to "
        "everybody."
    ),
    parts=tampering.PARTS,
    summary=tampering.summary,
)
