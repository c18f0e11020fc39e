"""Runs one session of labelled images whose robot presses at given times around the cutoff.

``python cutoff_session.py LAB MODE CUTOFF_S AIM_S …``: the k-th trial is answered AIM_S after
its onset, by a real key event; all is accepted. Trials come at once, and of all pages the last.
"""

import json
import sys
from dataclasses import replace
from pathlib import Path

NOTE = "The fan was on."

# The rest is imported where it is needed: the robot's hand, a process of its own, begins by
# importing this file.


class Punctual:
    """A robot that accepts everything, at the given times."""

    def __init__(self, aims_s):
        self.aims_s = aims_s

    def answer(self, trial):
        from participants.robots.choosing import Response

        return Response("accept", self.aims_s[trial.trial - 1])

    def choose(self, question):
        return question.choices[0]


def listen(sent):
    """Have every report of a key that was sent kept."""
    from experiments.robot_input.inject import InputInjector, Sent

    reports = InputInjector.reports

    def kept(injector):
        found = reports(injector)
        sent.extend([r.before_s, r.after_s] for r in found if isinstance(r, Sent))
        return found

    InputInjector.reports = kept


def punctual(kind, aims_s):
    """Return a kind of session of trials alone, and the page at whose turning the last key is
    told, which the robot answers at the given times."""
    from participants.studies.accept_reject.trial import Trial

    def planned(*given):
        plan = kind.plan(*given)
        *steps, last = plan.steps
        return replace(plan, steps=(*(step for step in steps if isinstance(step, Trial)), last))

    robots = replace(kind.load_robots(), make=lambda *pack: lambda *robot: Punctual(aims_s))
    return replace(kind, plan=planned, load_robots=lambda: robots)


def main(folder, mode, cutoff_s, aims_s):
    import experiments.session.booking
    import experiments.session.opened
    from experiments.session.options import PersonOptions, ScreenSize, WindowOptions
    from experiments.session.preflight import Preflight
    from experiments.session.request import RunRequest
    from experiments.session.run import NoExperimenter, SessionRun
    from participants.folder import LabFolder
    from participants.study import session_kind_of
    from stimuli.pack import open_pack
    from stimuli.protocol import load_protocol
    from stimuli.studies.accept_reject_accuracy.sketch import SketchRates, sketch
    from tests.sealing import sealed

    shares = {"S": 0.5, "E": 0.5, "wrong_label": 0.0, "no_solution": 0.0}
    changes = {
        "images": {"size_px": 64},
        "solutions": {"practice_trials": 0, "shares": shares},
        "trial": {"cutoff_mode": mode, "cutoff_s": cutoff_s, "limit_s": 1.5, "fixation_s": 0.05},
    }
    protocol = load_protocol("accept_reject_accuracy", None, changes)
    sealed(sketch(protocol, SketchRates(images=len(aims_s))), folder / "pack")
    sent = []
    listen(sent)
    for module in (experiments.session.booking, experiments.session.opened):
        module.session_kind_of = lambda pack: punctual(session_kind_of(pack), aims_s)

    class Writer(NoExperimenter):
        def write_note(self):
            return NOTE

    request = RunRequest(
        str(folder / "pack"),
        person=PersonOptions(robot="exact_labels"),
        window=WindowOptions(size_px=ScreenSize(800, 600)),
        lab=folder,
    )
    pack = open_pack(folder / "pack", "solutions")
    lab, preflight = LabFolder.make(folder), Preflight(reason="a test")
    ran = SessionRun(request, lab, pack, preflight, Writer()).run()
    (folder / "sent.json").write_text(json.dumps(sent), encoding="utf-8")
    assert ran.complete
    assert ran.trials == len(aims_s)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], float(sys.argv[3]), [float(a) for a in sys.argv[4:]])
