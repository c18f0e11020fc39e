"""What the suite's commands find in their environment when a bench starts them."""

import os


def command_environment(**more: str) -> dict[str, str]:
    """Return this process's environment, as a lab's PC has it.

    The commands run with this Python, and keep the byte code of what they import: a bench's own
    environment may forbid that, and then each start compiles every module again.

    Parameters
    ----------
    more
        Further variables.
    """
    usual = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**usual, "PLAINSIGHT_PYTHON_ENV": "current", **more}
