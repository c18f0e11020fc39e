"""A shortcut on the desktop that opens the start window."""

import os
import sys

from lab_environment.words import SetupError, say

NAME = "Plainsight"
# Tells the start window that no terminal is visible.
FROM_DESKTOP = "PLAINSIGHT_FROM_DESKTOP"

DESKTOP_ENTRY = """\
[Desktop Entry]
Type=Application
Name={name}
Comment=Start a session
Exec=env {shown}=1 "{python}" "{door}" launch
Path={folder}
Terminal=false
"""

COMMAND_FILE = """\
#!/bin/sh
cd "{folder}" && exec "{python}" "{door}" launch
"""

# Without its second line Windows misreads non-ASCII letters, such as umlauts, in a path.
BATCH_FILE = """\
@echo off\r
chcp 65001 >nul\r
cd /d "{folder}"\r
"{python}" "{door}" launch\r
if errorlevel 1 pause\r
"""

# By platform: the file's name, its text, and how to write paths in it.
SHORTCUTS = {
    "linux": (NAME + ".desktop", DESKTOP_ENTRY),
    "darwin": (NAME + ".command", COMMAND_FILE),
    "win32": (NAME + ".cmd", BATCH_FILE),
}


def make_shortcut(python: str, door: str, desktop: str | None = None) -> str:
    """Write the shortcut, replacing an existing one, and return its path.

    Parameters
    ----------
    python
        The Python that opens the window.
    door
        Path of ``lab.py``.
    desktop
        The desktop's folder; found by default.

    Raises
    ------
    SetupError
        If there is no desktop, the shortcut can't be written, or a path can't be used in it.
    """
    folder = desktop or desktop_folder()
    if not os.path.isdir(folder):
        raise SetupError(
            f"{folder}: there is no desktop here; the start window: python3 lab.py launch"
        )
    name, text = SHORTCUTS.get(sys.platform, SHORTCUTS["linux"])
    paths = {"python": python, "door": door, "folder": os.path.dirname(door)}
    # Characters with a special meaning in a shell, a batch file or a desktop entry.
    unsafe = set('"\n\r%') | set("" if sys.platform == "win32" else "$`\\")
    for path in paths.values():
        if unsafe & set(path):
            raise SetupError(f"{path}: can't stand in a shortcut; move the checkout")
    target = os.path.join(folder, name)
    try:
        with open(target, "w", encoding="utf-8", newline="") as file:
            file.write(text.format(name=NAME, shown=FROM_DESKTOP, **paths))
        os.chmod(target, 0o755)
    except OSError as fault:
        raise SetupError(f"{target} can't be written: {fault.strerror}") from None
    say(f"a shortcut to the start window: {target}")
    return target


def desktop_folder() -> str:
    """Return the user's desktop folder, according to the system."""
    if sys.platform == "win32":
        return _windows_desktop()
    named = _xdg_desktop() if sys.platform == "linux" else ""
    return named or os.path.join(os.path.expanduser("~"), "Desktop")


def _xdg_desktop() -> str:
    """Return the desktop's folder, whose name on Linux depends on the user's language."""
    home = os.path.expanduser("~")
    settings = os.environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    try:
        with open(os.path.join(settings, "user-dirs.dirs"), encoding="utf-8") as lines:
            named = [line.split("=", 1)[1] for line in lines if line.startswith("XDG_DESKTOP_DIR=")]
    except OSError:
        return ""
    return named[-1].strip().strip('"').replace("$HOME", home) if named else ""


def _windows_desktop() -> str:
    """Ask the system: the desktop may be in OneDrive."""
    assert sys.platform == "win32"
    import winreg

    place = r"Software\Microsoft\Windows\CurrentVersion\Explorer\User Shell Folders"
    try:
        with winreg.OpenKey(winreg.HKEY_CURRENT_USER, place) as key:
            return os.path.expandvars(winreg.QueryValueEx(key, "Desktop")[0])
    except OSError:
        return os.path.join(os.path.expanduser("~"), "Desktop")
