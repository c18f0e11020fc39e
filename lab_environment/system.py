"""System libraries that a window needs, on Debian and Ubuntu."""

import importlib.util
import os
import subprocess
import sys

from lab_environment.words import SetupError, say

# Packages for a PsychoPy window, Qt and robots' virtual displays on Debian and Ubuntu.
SYSTEM_LIBRARIES = """
    xvfb xauth fontconfig fonts-dejavu-core x11-utils x11-xserver-utils
    libegl1 libgl1-mesa-dri libglu1-mesa libglib2.0-0 libdbus-1-3
    libxtst6 libxtst-dev libx11-dev libjack-jackd2-0 libportaudio2 libusb-1.0-0
    libxcb-cursor0 libxcb-icccm4 libxcb-image0 libxcb-keysyms1 libxcb-render-util0
    libxcb-xkb1 libxkbcommon-x11-0 libxcb-shape0 libxcb-xinerama0
"""


def install_system_libraries(log: str) -> None:
    """Install missing packages on Debian or Ubuntu if this is root; else print the command.

    Parameters
    ----------
    log
        File for apt-get's output.

    Raises
    ------
    SetupError
        If no environment can be made without them.
    """
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
    """Return whether this process may install system packages."""
    return os.name == "posix" and os.geteuid() == 0


def is_debian(release: str = "/etc/os-release") -> bool:
    """Return whether this is Debian or a derivative, by its release file."""
    try:
        with open(release, encoding="utf-8") as lines:
            pairs = dict(line.strip().split("=", 1) for line in lines if "=" in line)
    except OSError:
        return False
    family = f"{pairs.get('ID', '')} {pairs.get('ID_LIKE', '')}".replace('"', "")
    return not {"debian", "ubuntu"}.isdisjoint(family.split())


def missing_libraries() -> list[str]:
    """Return the system packages that a window needs and Debian lacks; empty elsewhere."""
    if not is_debian():
        return []
    wanted = SYSTEM_LIBRARIES.split()
    # Newer releases have some of them under a name that ends in t64.
    query = ["dpkg-query", "-W", "-f=${db:Status-Status} ${Package}\n"]
    query += [name + end for name in wanted for end in ("", "t64")]
    answer = subprocess.run(query, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    states = [line.split() for line in answer.stdout.splitlines()]
    installed = {name.removesuffix("t64") for state, name in states if state == "installed"}
    return [name for name in wanted if name not in installed]


def run_apt(command: list[str], log: str) -> bool:
    """Update the package lists and install; return whether the installation worked."""
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
