"""The virtual environment: what it is in, and making it whole."""

import os
import sys

from lab_environment.words import SetupError, say

PYTHONS = ("3.11", "3.12")
REQUIREMENTS = {"full": "requirements.txt", "lab": "requirements-lab.txt"}
COST = {"full": "about 2 minutes and 3 GB", "lab": "about 1 minute and 1.7 GB"}
RECORD, LOCK, LOG = "plainsight.json", "plainsight.lock", "plainsight-install.log"
MAKE, UPDATE, WHOLE = "making", "updating", "whole"


class Environment:
    """The virtual environment of a checkout.

    Parameters
    ----------
    folder
        The environment's folder.
    checkout
        Folder with ``requirements.txt``, ``requirements-lab.txt`` and ``constraints.txt``.
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
        """Profile for which it was last made: ``"full"``, ``"lab"``, or None if never."""
        return (self.record() or {}).get("profile")

    @property
    def log(self) -> str:
        """Path of the installation's log."""
        return os.path.join(self.folder, LOG)

    def is_running(self) -> bool:
        """Return whether this process runs in the environment."""
        return os.path.realpath(sys.prefix) == os.path.realpath(self.folder)

    def settings(self) -> dict[str, str]:
        """Return the settings in ``pyvenv.cfg``; empty if the file doesn't exist."""
        try:
            with open(os.path.join(self.folder, "pyvenv.cfg"), encoding="utf-8") as lines:
                pairs = [line.partition("=") for line in lines]
        except OSError:
            return {}
        return {key.strip(): value.strip() for key, _, value in pairs}

    def version(self) -> str:
        """Return the Python version (``"3.11"``) that the environment was made with."""
        settings = self.settings()
        # uv spells the key differently from the standard library
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
        """Check from a few files whether the environment is complete.

        Parameters
        ----------
        profile
            ``"full"`` or ``"lab"``.

        Returns
        -------
        tuple of str
            ``WHOLE``, ``UPDATE`` (pip can repair it) or ``MAKE`` (it must be made again),
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
        """Return the last installation's record: empty if it was cut off, None if there is none."""
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
        """Make the environment or update it, one caller at a time.

        Parameters
        ----------
        profile
            ``"full"`` or ``"lab"``.
        remake
            Make it again even if it is complete.

        Returns
        -------
        bool
            Whether anything was done.

        Raises
        ------
        SetupError
            If it can't be made; the message says what to do.
        """
        if not remake and self.verdict(profile)[0] == WHOLE:
            return False
        from lab_environment.lock import take_lock
        from lab_environment.system import install_system_libraries

        try:
            os.makedirs(self.folder, exist_ok=True)
            lock = open(os.path.join(self.folder, LOCK), "a+b")  # noqa: SIM115
        except OSError as fault:
            raise SetupError(f"{self.folder} can't be written: {fault.strerror}") from None
        with lock:
            take_lock(lock)
            # An orphaned child keeps the lock, so that no later call installs at the same time.
            os.set_inheritable(lock.fileno(), True)
            state, reason = (MAKE, "as asked") if remake else self.verdict(profile)
            if state == WHOLE:
                return True  # another call has made it in the meantime
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
        """Empty the folder, except the lock and the record that it is unfinished."""
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

        # If it were made from within itself, it would link to a Python that was just removed.
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
        from lab_environment.pip import Pip, pin, pinned

        requirements = os.path.join(self.checkout, REQUIREMENTS[profile])
        constraints = os.path.join(self.checkout, "constraints.txt")
        pip = Pip(self.python, constraints, self.log, self.distributions)
        pip.install("pip", [pin(requirements, "pip")])
        if profile == "full":
            # Separately and pinned: with other packages a resolver might choose another build.
            pip.install("torch", [pin(requirements, "torch")])
        uv, packages = pinned(requirements, "uv"), ["-r", requirements]
        if uv is None or not pip.install_by_uv("packages", uv, packages):
            pip.install("packages", packages)
        record = {
            "profile": profile,
            "requirements": self._requirements(profile),
            "place": self._place(),
            "distributions": self.distributions(),
        }
        self._write_record(record)
