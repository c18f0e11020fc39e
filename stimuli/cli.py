"""The stimuli room's verbs."""

from stimuli.console import new_app, run_app
from stimuli.plates.command import plates

app = new_app("What can be shown: plates by themselves.")
app.command()(plates)


def main(arguments: list[str]) -> int:
    """Run a verb of this room and return the exit status."""
    return run_app(app, arguments)
