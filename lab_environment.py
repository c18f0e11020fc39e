"""Making the environment in which everything else runs, with the standard library alone.

Only what a look at the environment needs is imported at once: the look happens on
every call of ``lab.py``.
"""

import io
import os
import sys

PYTHONS = ("3.11", "3.12")
REQUIREMENTS = {"full": "requirements.txt", "lab": "requirements-lab.txt"}
COST = {"full": "about 3 minutes and 3 GB", "lab": "about 2 minutes and 1.7 GB"}
RECORD, LOCK, LOG = "plainsight.json", "plainsight.lock", "plainsight-install.log"
MAKE, UPDATE, WHOLE = "making", "updating", "whole"

# What Debian and Ubuntu need for a PsychoPy window, Qt, robots' virtual display and gpboost.
SYSTEM_LIBRARIES = """
    xvfb xauth fontconfig fonts-dejavu-core x11-utils x11-xserver-utils
    libegl1 libgl1-mesa-dri libglu1-mesa libglib2.0-0 libdbus-1-3 libgomp1
    libxtst6 libxtst-dev libx11-dev libjack-jackd2-0 libportaudio2 libusb-1.0-0
    libxcb-cursor0 libxcb-icccm4 libxcb-image0 libxcb-keysyms1 libxcb-render-util0
    libxcb-xkb1 libxkbcommon-x11-0 libxcb-shape0 libxcb-xinerama0
"""

NO_NETWORK = (
    "NewConnectionError",
    "NameResolutionError",
    "ConnectTimeout",
    "ReadTimeout",
    "ProxyError",
    "Max retries exceeded",
    "Connection broken",
    "Network is unreachable",
)


class SetupError(Exception):
    """What keeps the environment from being made, in one line for the user."""


def say(text: str) -> None:
    """Write one line to standard error; standard output belongs to the verb."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


class Environment:
    """The virtual environment of a checkout.

    Parameters
    ----------
    folder
        The environment's folder.
    checkout
        Where ``requirements.txt``, ``requirements-lab.txt`` and ``constraints.txt`` lie.
    """

    def __init__(self, folder: str, checkout: str) -> None:
        self.folder = folder
        self.checkout = checkout

    @property
    def python(self) -> str:
        """Path of the environment's Python."""
        tail = ("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")
        return os.path.join(self.folder, *tail)

    @property
    def profile(self) -> str | None:
        """What was asked for when it was last made: ``"full"``, ``"lab"``, or None if never."""
        return (self.record() or {}).get("profile")

    @property
    def log(self) -> str:
        """Path of the installation's log."""
        return os.path.join(self.folder, LOG)

    def is_running(self) -> bool:
        """Tell whether this very process runs in the environment."""
        return os.path.realpath(sys.prefix) == os.path.realpath(self.folder)

    def settings(self) -> dict[str, str]:
        """Return ``pyvenv.cfg``, empty where there is none."""
        try:
            with open(os.path.join(self.folder, "pyvenv.cfg"), encoding="utf-8") as lines:
                pairs = [line.partition("=") for line in lines]
        except OSError:
            return {}
        return {key.strip(): value.strip() for key, _, value in pairs}

    def version(self) -> str:
        """Return the environment's Python version (``"3.11"``), as it was made."""
        settings = self.settings()
        # uv spells the key otherwise than the standard library
        version = settings.get("version") or settings.get("version_info") or ""
        return ".".join(version.split(".")[:2])

    def distributions(self) -> list[str]:
        """Return the installed distributions, each with its version, sorted."""
        try:
            names = os.listdir(self.site_packages())
        except OSError:
            return []
        return sorted(name for name in names if name.endswith(".dist-info"))

    def site_packages(self) -> str:
        """Return the folder of the installed packages."""
        if os.name == "nt":
            return os.path.join(self.folder, "Lib", "site-packages")
        return os.path.join(self.folder, "lib", f"python{self.version()}", "site-packages")

    def verdict(self, profile: str) -> tuple[str, str]:
        """Tell from a few files whether the environment is whole.

        Parameters
        ----------
        profile
            ``"full"`` or ``"lab"``.

        Returns
        -------
        tuple of str
            ``WHOLE``, ``UPDATE`` (pip can mend it) or ``MAKE`` (it has to be made anew),
            and the reason in words.
        """
        settings, record = self.settings(), self.record()
        if not settings:
            return MAKE, "there is none yet"
        if not (os.path.exists(self.python) and os.path.isdir(settings.get("home", ""))):
            return MAKE, "its Python is gone"
        if self.version() not in PYTHONS:
            return MAKE, "it was made for another Python"
        if not os.path.isdir(os.path.join(self.site_packages(), "pip")):
            return MAKE, "it has no pip"
        if record is None:
            return UPDATE, "it wasn't made by lab.py"
        if not record:
            return MAKE, "its installation was cut off"
        if record["place"] != self._place():
            return MAKE, "it or its Python has moved"
        if record["requirements"] != self._requirements(profile):
            return UPDATE, "the requirements have changed"
        if set(record["distributions"]) - set(self.distributions()):
            return UPDATE, "packages are missing"
        return WHOLE, "nothing is missing"

    def record(self) -> dict | None:
        """Return what the last installation left: empty if cut off, None without any."""
        import json

        try:
            with open(os.path.join(self.folder, RECORD), encoding="utf-8") as file:
                record = json.load(file)
        except FileNotFoundError:
            return None
        except (OSError, ValueError):
            return {}
        known = {"profile", "requirements", "place", "distributions"}
        return record if isinstance(record, dict) and known <= record.keys() else {}

    def ensure(self, profile: str, *, remake: bool = False) -> bool:
        """Make the environment or bring it up to date, one caller at a time.

        Parameters
        ----------
        profile
            ``"full"`` or ``"lab"``.
        remake
            Make it anew even where it is whole.

        Returns
        -------
        bool
            Whether anything was done.

        Raises
        ------
        SetupError
            When it can't be made, with what to do.
        """
        if not remake and self.verdict(profile)[0] == WHOLE:
            return False
        try:
            os.makedirs(self.folder, exist_ok=True)
            lock = open(os.path.join(self.folder, LOCK), "a+b")  # noqa: SIM115
        except OSError as fault:
            raise SetupError(f"{self.folder} can't be written: {fault.strerror}") from None
        with lock:
            take_lock(lock)
            # An orphaned child keeps the lock, so that no later call installs beside it.
            os.set_inheritable(lock.fileno(), True)
            state, reason = (MAKE, "as asked") if remake else self.verdict(profile)
            if state == WHOLE:
                return True  # another call has made it meanwhile
            say(f"{state} the {profile} environment in .venv ({reason}): {COST[profile]}")
            self._write_record({})
            if state == MAKE:
                self._clear()
            install_system_libraries(self.log)
            if state == MAKE:
                self._create()
            self._install(profile)
        return True

    def _place(self) -> list[str]:
        return [os.path.realpath(self.folder), os.path.realpath(self.python)]

    def _requirements(self, profile: str) -> str:
        text = ""
        for name in (REQUIREMENTS[profile], "constraints.txt"):
            with open(os.path.join(self.checkout, name), encoding="utf-8") as file:
                text += file.read()
        return text

    def _write_record(self, record: dict) -> None:
        import json

        path = os.path.join(self.folder, RECORD)
        with open(path + ".new", "w", encoding="utf-8", newline="\n") as file:
            json.dump(record, file, indent=1)
        os.replace(path + ".new", path)

    def _clear(self) -> None:
        """Empty the folder, but for the lock and the record that it is unfinished."""
        import shutil

        for entry in os.scandir(self.folder):
            try:
                if entry.is_dir(follow_symlinks=False):
                    shutil.rmtree(entry.path)
                elif entry.name not in (LOCK, RECORD):
                    os.remove(entry.path)
            except OSError as fault:
                raise SetupError(
                    f"{entry.path} is in use or protected ({fault.strerror}): close what uses "
                    "it, then python3 lab.py setup --remake"
                ) from None

    def _create(self) -> None:
        import subprocess

        # Made from within itself it would link to a Python that was just cleared away.
        base = getattr(sys, "_base_executable", "") or sys.executable
        with open(self.log, "ab") as story:
            status = subprocess.call(
                [base, "-m", "venv", self.folder],
                stdout=story,
                stderr=subprocess.STDOUT,
                close_fds=False,
            )
        if status != 0:
            raise SetupError(f"{base} can't make an environment; the story: {self.log}")

    def _install(self, profile: str) -> None:
        requirements = os.path.join(self.checkout, REQUIREMENTS[profile])
        self._pip("pip", [pin(requirements, "pip")])
        if profile == "full":
            # Alone and pinned: beside the rest a resolver may choose another build.
            self._pip("torch", [pin(requirements, "torch")])
        self._pip("packages", ["-r", requirements])
        record = {
            "profile": profile,
            "requirements": self._requirements(profile),
            "place": self._place(),
            "distributions": self.distributions(),
        }
        self._write_record(record)

    def _pip(self, name: str, what: list[str]) -> None:
        """Install with pip: its words go to the log, one living line to the screen."""
        import subprocess
        import time

        command = [self.python, "-m", "pip", "install", "--no-input", "--no-color"]
        command += ["--progress-bar", "off", "--retries", "2", "--disable-pip-version-check"]
        command += ["-c", os.path.join(self.checkout, "constraints.txt"), *what]
        with open(self.log, "ab") as story, open(self.log, errors="replace") as told:
            told.seek(0, os.SEEK_END)
            meter = Meter(name, self)
            process = subprocess.Popen(
                command, stdout=story, stderr=subprocess.STDOUT, close_fds=False
            )
            try:
                while process.poll() is None:
                    meter.show(told.read())
                    time.sleep(0.25)
            finally:
                if process.poll() is None:
                    process.terminate()
                    process.wait()
                meter.end(told.read())
        if process.returncode != 0:
            raise SetupError(pip_failure(name, meter.text, self.log))


class Meter:
    """One line that shows how far pip is, drawn over itself on a terminal.

    Parameters
    ----------
    name
        What is being installed.
    environment
        Where it is being installed.
    """

    def __init__(self, name: str, environment: Environment) -> None:
        import time

        self.text = ""
        self._name = name
        self._environment = environment
        self._before = set(environment.distributions())
        self._clock = time.monotonic
        self._start = self._shown = time.monotonic()

    def line(self) -> str:
        """Return the state in words."""
        minutes, seconds = divmod(int(self._clock() - self._start), 60)
        head, _, names = self.text.partition("Installing collected packages: ")
        if names:
            total = names.split("\n")[0].count(",") + 1
            done = set(self._environment.distributions()) - self._before
            state = f"{len(done)} of {total} installed"
        else:
            found = head.count("\nCollecting ") + head.count("\nProcessing ")
            state = f"{found} fetched"
        return f"  {self._name}: {state}, {minutes}:{seconds:02d}"

    def show(self, more: str) -> None:
        """Take what pip has said since; draw the line, in a log twice a minute."""
        self.text += more
        if sys.stderr.isatty():
            sys.stderr.write("\r" + self.line().ljust(60))
            sys.stderr.flush()
        elif self._clock() - self._shown > 30:
            self._shown = self._clock()
            say(self.line())

    def end(self, more: str) -> None:
        """Leave the last state standing, on a line of its own."""
        self.text += more
        if sys.stderr.isatty():
            say("\r" + self.line().ljust(60))
        else:
            say(self.line())


def pin(requirements: str, name: str) -> str:
    """Return a package's exact pin (``name==version``) from a requirements file."""
    with open(requirements, encoding="utf-8") as lines:
        for line in lines:
            if line.startswith(name + "=="):
                return line.split()[0]
    raise SetupError(f"{requirements} pins no {name}")


def pip_failure(name: str, text: str, log: str) -> str:
    """Return the one line that says why pip failed and what to do."""
    errors = [line[7:].strip() for line in text.splitlines() if line.startswith("ERROR: ")]
    if any(sign in text for sign in NO_NETWORK):
        reason = "the package index can't be reached: check network and proxy"
    elif "No space left on device" in text:
        reason = "the disk is full: make room"
    else:
        reason = f"{errors[-1]}: mend that" if errors else "pip gave up: see its story"
    return f"{name} couldn't be installed, {reason}, then run this again (the story: {log})"


def take_lock(file: io.BufferedIOBase) -> None:
    """Take an exclusive lock on an open file, waiting for who has it; closing frees it."""
    import time

    if not try_lock(file):
        say("another call is making the environment: waiting for it")
        while not try_lock(file):
            time.sleep(0.25)


def try_lock(file: io.BufferedIOBase) -> bool:
    """Try to lock an open file, and tell whether it worked."""
    try:
        if os.name == "nt":
            import msvcrt

            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def install_system_libraries(log: str) -> None:
    """Install what a Debian or Ubuntu system lacks if this is root, else name the command.

    Parameters
    ----------
    log
        Where apt-get's words go.

    Raises
    ------
    SetupError
        When without them no environment can be made.
    """
    import importlib.util

    missing = missing_libraries()
    no_venv = importlib.util.find_spec("ensurepip") is None
    if no_venv:
        missing.append("python{}.{}-venv".format(*sys.version_info))
    if not missing:
        return
    command = ["apt-get", "install", "-y", "--no-install-recommends", *missing]
    if is_debian() and is_root():
        say(f"  installing {len(missing)} system packages with apt-get")
        if run_apt(command, log):
            return
    by_hand = "sudo " + " ".join(command)
    if no_venv:
        raise SetupError(f"this Python can't make environments: {by_hand}")
    say(f"  a window needs system libraries that are missing: {by_hand}")


def is_root() -> bool:
    """Tell whether this process may install system packages."""
    return os.name == "posix" and os.geteuid() == 0


def is_debian(release: str = "/etc/os-release") -> bool:
    """Tell whether this is Debian or one of its children, by its release file."""
    try:
        with open(release, encoding="utf-8") as lines:
            pairs = dict(line.strip().split("=", 1) for line in lines if "=" in line)
    except OSError:
        return False
    family = f"{pairs.get('ID', '')} {pairs.get('ID_LIKE', '')}".replace('"', "")
    return not {"debian", "ubuntu"}.isdisjoint(family.split())


def missing_libraries() -> list[str]:
    """Return the system packages that a window needs and Debian lacks; none elsewhere."""
    import subprocess

    if not is_debian():
        return []
    wanted = SYSTEM_LIBRARIES.split()
    # Newer releases have some of them under a name with t64 at its end.
    query = ["dpkg-query", "-W", "-f=${db:Status-Status} ${Package}\n"]
    query += [name + end for name in wanted for end in ("", "t64")]
    answer = subprocess.run(query, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    states = [line.split() for line in answer.stdout.splitlines()]
    installed = {name.removesuffix("t64") for state, name in states if state == "installed"}
    return [name for name in wanted if name not in installed]


def run_apt(command: list[str], log: str) -> bool:
    """Update the package lists and install; tell whether the installation worked."""
    import subprocess

    environment = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    with open(log, "ab") as story:
        for step in (["apt-get", "update"], command):
            status = subprocess.call(
                [*step, "-o", "DPkg::Lock::Timeout=120"],
                stdin=subprocess.DEVNULL,
                stdout=story,
                stderr=subprocess.STDOUT,
                env=environment,
            )
    return status == 0
