"""Plainsight's door: finds or makes the environment, then opens the verb's room.

Standard library only, in Python 3.4's grammar, so that an old Python reads this far
and says which one is needed.
"""

import os
import sys

PYTHONS = ((3, 11), (3, 12))
FULL, LAB = "full", "lab"
UTF8 = "PYTHONUTF8"

HERE = os.path.dirname(os.path.abspath(__file__))
VENV = os.path.join(HERE, ".venv")

MOST_TEST_PROCESSES = 4  # each takes up to 1 GB of memory
MOST_WINDOW_PROCESSES = 3  # their sessions wait most of the time
WITH_WINDOWS = "window and not slow"
WITHOUT_WINDOWS = "not window and not slow"
TESTS = (  # in parts, the longest first; a part leaves out the folders that others name
    ("tests/analysis/studies",),
    ("tests/analysis",),
    ("tests/participants",),
    ("tests/experiments",),
    ("tests/stimuli",),
    ("tests",),
    ("tests/xai_backend/studies",),  # two parts: each imports torch once
    ("tests/xai_backend",),
)
ORDER_SEED = "--order-seed"
QUICK = "--quick"

# verb: (room, environment it needs, what it does); the first two are the door's own
VERBS = {
    "setup": (None, LAB, "make or repair the environment (--lab: without torch)"),
    "test": (None, FULL, "run the tests (--quick: of what was changed); others go to pytest"),
    "demo": ("experiments", FULL, "run a small study from start to end: pack, robots, report"),
    "doctor": ("experiments", LAB, "check whether this PC is fit to run sessions"),
    "timing": ("experiments", LAB, "measure how exact onsets and key presses are"),
    "build": ("xai_backend", FULL, "build a study's pack: items, explanations, lists, seal"),
    "explain": ("xai_backend", FULL, "explain what a network sees in photographs: maps, overlays"),
    "plates": ("stimuli", LAB, "make pseudo-isochromatic plates without a study"),
    "participants": (
        "participants",
        LAB,
        "manage people by codes: enrol, show, due, withdraw, merge",
    ),
    "status": (
        "participants",
        LAB,
        "show the lab's day: who is due, who came, how far studies are",
    ),
    "backup": ("participants", LAB, "back up the lab in a second place, and verify it"),
    "restore": ("participants", LAB, "bring a lab folder back from a backup"),
    "sheets": ("experiments", LAB, "print consent, debrief, keys, checklist, code cards, receipts"),
    "export": ("participants", LAB, "export data as BIDS or Psych-DS"),
    "new-study": ("participants", LAB, "make a study from a table of items, or from a template"),
    "annotate": ("experiments", LAB, "run a session in which people paint plates or mark images"),
    "screen": ("experiments", LAB, "screen colour vision: who is a lead or an expert, which rung"),
    "launch": ("experiments", LAB, "open a window to start sessions from"),
    "run": ("experiments", LAB, "run a session: a pack and a participant"),
    "screens": ("experiments", LAB, "write a picture of each kind of screen, for ethics boards"),
    "replay": ("experiments", LAB, "show a session again, in a window or as a film"),
    "watch": ("participants", LAB, "see how far the running session is, never its answers"),
    "simulate": ("participants", LAB, "simulate a whole dataset with robots, without a window"),
    "preregister": ("analysis", FULL, "write down what a study will test, before data collection"),
    "analyse": ("analysis", FULL, "analyse a study's data: report, figures, results.json"),
    "fit": ("analysis", FULL, "fit a mixed model to any table, in lme4's notation"),
    "power": ("analysis", FULL, "find how many participants and items a study needs"),
    "bench": ("bench", FULL, "measure the figures of docs/ again"),
    "docs": ("docs", FULL, "build the documentation as a site"),
}

OVERVIEW = """\
Plainsight: does an explanation of an AI system help the person who has to decide?

Usage: python3 lab.py VERB ...     (python3 lab.py VERB --help tells more)

{verbs}

Examples:
  python3 lab.py demo
  python3 lab.py build --help
  python3 lab.py participants --help
"""

SETUP_HELP = """\
Usage: python3 lab.py setup [--full | --lab] [--remake] [--shortcut]

Makes the environment in .venv, or brings it up to date.

  --full     everything (the default)
  --lab      what a PC needs to run sessions: no torch
  --remake   delete .venv and make it again
  --shortcut put a shortcut to the start window (launch) on the desktop

Example: python3 lab.py setup --lab
"""

TEST_HELP = """\
Usage: python3 lab.py test [pytest's arguments]

Runs the test suite in the environment. Without arguments it runs all tests in several
processes: those that open a window, and at the same time all others.

  --order-seed N   mix the order of the tests, and seed everything random, by N

Example: python3 lab.py test tests/test_door.py -x
Example: python3 lab.py test studies/moods     (your own study)
Example: python3 lab.py test --order-seed 7
"""


def main(arguments: list) -> int:
    """Open the verb's room and return the exit status."""
    import codecs

    if codecs.lookup(sys.getfilesystemencoding()).name == "ascii" and os.environ.get(UTF8) != "1":
        # The locale C: names and notes would be bytes, and half of all texts couldn't be printed.
        os.environ[UTF8] = "1"
        return go_on([sys.executable], arguments)
    verb, rest = (arguments[0], arguments[1:]) if arguments else ("--help", [])
    if verb in ("--help", "-h"):
        lines = ["  {:<13} {}".format(name, VERBS[name][2]) for name in VERBS]
        return show(OVERVIEW.format(verbs="\n".join(lines)))
    if verb not in VERBS:
        return refuse(unknown_verb(verb))
    if verb == "setup" and "--help" in rest:
        return show(SETUP_HELP)
    if verb == "test" and rest == ["--help"]:
        return show(TEST_HELP)
    if version_refusal(sys.version_info):
        python = suitable_python()
        return go_on(python, arguments) if python else refuse(version_refusal(sys.version_info))

    from lab_environment import SetupError

    try:
        return setup(rest) if verb == "setup" else open_room(verb, rest)
    except SetupError as fault:
        return refuse(str(fault))
    except KeyboardInterrupt:
        refuse("interrupted; the same command begins again")
        return 130


def open_room(verb: str, rest: list) -> int:
    """Run a verb in the environment, which is made first where it has to be."""
    import lab_environment

    room, needs, _ = VERBS[verb]
    if os.environ.get("PLAINSIGHT_PYTHON_ENV") != "current":
        environment = lab_environment.Environment(VENV, HERE)
        profile = environment.profile or FULL
        if needs == FULL and profile == LAB:
            return refuse(
                "`{}` needs more than this PC's light environment has; "
                "to add it: python3 lab.py setup --full".format(verb)
            )
        made = environment.ensure(profile)
        if made or not environment.is_running():
            return go_on([environment.python], [verb] + rest)
    return run_tests(rest) if room is None else run_room(room, [verb] + rest)


def setup(options: list) -> int:
    """Make or mend the environment and return the exit status."""
    import lab_environment
    from lab_environment.system import install_system_libraries

    for option in options:
        if option not in ("--full", "--lab", "--remake", "--shortcut"):
            return refuse("setup has no option `{}`: python3 lab.py setup --help".format(option))
    if "--full" in options and "--lab" in options:
        return refuse("setup takes --full or --lab, not both: python3 lab.py setup --help")
    environment = lab_environment.Environment(VENV, HERE)
    profile, remake = (LAB if "--lab" in options else FULL), "--remake" in options
    if options == ["--shortcut"] and environment.profile is not None:
        # Who only wants the shortcut keeps the environment that there is.
        profile = environment.profile
    if environment.profile == FULL and profile == LAB and not remake:
        lab_environment.say(
            "the full environment stays, which runs sessions too; for the light one add --remake"
        )
        profile = FULL
    if not environment.ensure(profile, remake=remake):
        install_system_libraries(os.devnull)
    lab_environment.say("the {} environment is whole: {}".format(profile, VENV))
    if "--shortcut" in options:
        from lab_environment.shortcut import make_shortcut

        make_shortcut(environment.python, os.path.abspath(__file__))
    return 0


def run_tests(rest: list) -> int:
    """Run pytest in the checkout and return its exit status."""
    os.chdir(HERE)
    if not rest or (rest[0] == ORDER_SEED and len(rest) == 2):
        return run_all_tests(rest)
    if rest[0] == QUICK:
        rest = quick_tests() + rest[1:]
    import pytest

    # Tests of a study that lies elsewhere keep to the same settings.
    return int(pytest.main(["-c", os.path.join(HERE, "pyproject.toml")] + rest))


def run_all_tests(seed: list) -> int:
    """Run all tests: those with windows in processes of their own, the others beside them.

    Tests with windows wait most of the time. The others run part by part, each part in one
    process, which makes what its tests share once. What a part says is shown when it ends.
    """
    import subprocess
    import tempfile
    from concurrent.futures import ThreadPoolExecutor
    from typing import IO

    # Parts and what they start compile each module once, not each of them again.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    # What orders sets of text must be there before a Python starts (tests/conftest.py).
    os.environ["PYTHONHASHSEED"] = seed[1] if seed else "0"
    pytest = [sys.executable, "-m", "pytest"] + seed + ["--durations=10"]
    processors = os.cpu_count() or 1

    def show_output(said: IO) -> None:
        said.seek(0)
        show(said.read().decode("utf-8", "replace"))

    def run_part(part: list) -> int:
        with tempfile.TemporaryFile() as said:
            command = pytest + ["-m", WITHOUT_WINDOWS] + part
            status = subprocess.call(command, stdout=said, stderr=subprocess.STDOUT)
            show_output(said)
        return status

    show("The tests run in parts. Each part prints its results when it ends.\n")
    with tempfile.TemporaryFile() as said:
        command = pytest + spread(min(MOST_WINDOW_PROCESSES, processors + 1)) + ["-m", WITH_WINDOWS]
        windows = subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT)
        # One more than processors: some tests wait, such as for another process.
        with ThreadPoolExecutor(min(MOST_TEST_PROCESSES, processors + 1)) as lanes:
            ended = list(lanes.map(run_part, parts_of_tests()))
        ended.append(windows.wait())
        show_output(said)
    if any(ended):
        show("Tests failed; see the parts above whose last line says so.\n")
    return max(ended, key=abs)


def quick_tests() -> list:
    """Return pytest's arguments for the tests of what was changed, and say what is left out."""
    from lab_environment.quick_tests import changed_files, own_tests

    when, changed = changed_files(HERE)
    tests = own_tests(HERE, changed)
    show("{} files changed {}; their tests: {}\n".format(len(changed), when, " ".join(tests)))
    show("Left out: slow tests, tests with windows, and tests of what uses these files.\n")
    return spread(os.cpu_count() or 1) + ["-q", "-m", WITHOUT_WINDOWS] + tests


def parts_of_tests() -> list:
    """Return pytest's arguments for each part of the tests."""
    named = [folder for part in TESTS for folder in part]

    def left_out(part: tuple) -> list:
        inside = tuple(folder + "/" for folder in part)
        return ["--ignore=" + folder for folder in named if folder.startswith(inside)]

    return [list(part) + left_out(part) for part in TESTS]


def spread(processes: int) -> list:
    """Return pytest's arguments that spread tests over processes, file by file.

    In the order of their names: files of few tests, which xdist would run last, are often the
    longest, and one process would wait for the other at the end.
    """
    return ["-n", str(processes), "--dist", "loadfile", "--no-loadscope-reorder"]


def run_room(room: str, arguments: list) -> int:
    """Import a room's command line, let it run the verb, and return the exit status."""
    import gc
    import importlib

    # What is imported stays: looking for garbage in it took a twentieth of a verb's time that only
    # reads, and a tenth of a report's.
    gc.set_threshold(10000)
    gc.disable()
    # Otherwise pydantic reads what every installed package says of itself to find plugins.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    try:
        cli = importlib.import_module(room + ".cli")
    except ModuleNotFoundError as missing:
        package = (missing.name or "").split(".")[0]
        if package in [entry[0] for entry in VERBS.values()]:
            raise
        return refuse(
            "the package `{}` is missing from {}; to mend it: python3 lab.py setup --remake".format(
                package, sys.prefix
            )
        )
    gc.freeze()
    gc.enable()
    try:
        return cli.main(arguments)
    finally:
        # Python looks for garbage once more at its end: half a second of a report's time.
        gc.freeze()


def show(text: str) -> int:
    """Print a text at once and return the exit status."""
    sys.stdout.write(text)
    sys.stdout.flush()
    return 0


def refuse(line: str) -> int:
    """Say in one line what the user can mend, and return the exit status."""
    sys.stderr.write(line + "\n")
    return 2


def unknown_verb(verb: str) -> str:
    """Return the line that answers a verb that does not exist."""
    import difflib

    near = difflib.get_close_matches(verb, VERBS, n=1)
    hint = "did you mean `{}`?".format(near[0]) if near else "python3 lab.py --help lists them"
    return "lab.py has no verb `{}`: {}".format(verb, hint)


def version_refusal(version: tuple) -> str:
    """Return why a Python version won't do; nothing where it will."""
    if tuple(version[:2]) in PYTHONS:
        return ""
    return "Plainsight needs Python 3.11 or 3.12, and this is {}.{}: install one of them".format(
        version[0], version[1]
    )


def suitable_python() -> list:
    """Return the command of a Python that will do, empty where none is found."""
    import shutil
    import subprocess

    names = ["python{}.{}".format(*version) for version in PYTHONS]
    candidates = [[path] for path in map(shutil.which, names) if path]
    if os.name == "nt":
        candidates += [["py", "-{}.{}".format(*version)] for version in PYTHONS]
    ask = "import sys; print(sys.version_info[:2] in {})".format(PYTHONS)
    for command in candidates:
        # A launcher may stand for a version that isn't installed: only an answer counts.
        try:
            answer = subprocess.check_output(command + ["-c", ask], stderr=subprocess.DEVNULL)
        except (OSError, subprocess.CalledProcessError):
            continue
        if answer.strip() == b"True":
            return command
    return []


def go_on(python: list, arguments: list) -> int:
    """Go on with this file in another Python; on POSIX this does not return."""
    command = python + [os.path.abspath(__file__)] + arguments
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        if os.name == "posix":
            os.execv(command[0], command)
        import signal
        import subprocess

        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the child's to answer
        return subprocess.call(command)
    except OSError as fault:
        return refuse(
            "{} doesn't start ({}): python3 lab.py setup --remake".format(python[0], fault.strerror)
        )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
