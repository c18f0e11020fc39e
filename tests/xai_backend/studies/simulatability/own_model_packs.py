"""Packs that are built from a lab's own models, and the domains of such packs."""

import pytest

from stimuli.pack import open_pack
from stimuli.workers import Workers
from xai_backend.progress import Silent
from xai_backend.studies.simulatability import build as building
from xai_backend.studies.simulatability.methods import lime
from xai_backend.studies.simulatability.own_domain import OwnModelOptions, asked_domain
from xai_backend.studies.simulatability.request import CaseRequest

PROTOCOL = """\
schema = "protocol/1.0"
study = "simulatability"
name = "own"
[design]
domains = ["{domain}"]
methods = [{methods}, "no_explanation"]
[items]
learning = {learning}
per_test = {per_test}
[analysis]
replicates = 100
published_replicates = 100
"""

METHODS_OF = {
    "text": '"lime", "anchor", "decision_boundary", "integrated_gradients", '
    '"attention_rollout", "prototype"',
    "tabular": '"lime", "kernel_shap", "omission"',
}


def write_protocol(folder, domain, learning, per_test):
    text = PROTOCOL.format(
        domain=domain, methods=METHODS_OF[domain], learning=learning, per_test=per_test
    )
    (folder / "own.toml").write_text(text, encoding="utf-8")
    return folder / "own.toml"


def built_in(folder, **asked):
    """Build a pack in a lab, in this process, from a folder where its modules lie."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PLAINSIGHT_LAB", str(folder))
        patch.syspath_prepend(folder)
        patch.setattr(lime, "SAMPLES", 300)
        here = Workers(here=True)
        request = CaseRequest(out=folder / "pack", workers=here, **asked)
        return building.build(request, Silent())


def trained_of(lab, domain):
    """Return the domain of a lab's pack."""
    folder, _ = lab
    model, data = f"hf:{folder / 'bert'}", "news.csv"
    if domain == "tabular":
        model, data = "lab_tree:chances", "small.csv"
    pack = open_pack(folder / "pack", "solutions")
    return asked_domain(domain, OwnModelOptions(model, folder / data), pack.protocol, Silent())
