"""What the `run` verb does and says."""

import json
from dataclasses import asdict

from experiments.request import RunRequest


def run_session_verb(request: RunRequest, *, as_json: bool) -> None:
    """Run a session and say how it went."""
    from rich.console import Console

    from experiments.session import run

    ran = run(request, {})
    if as_json:
        print(json.dumps(asdict(ran)))
        return
    how = "complete" if ran.complete else "not finished; the same command goes on with it"
    Console(stderr=True).print(
        f"Session {ran.session} of {ran.participant}: {how}. "
        f"The data folder holds {ran.trials} trials."
    )
