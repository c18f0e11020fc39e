"""Robots take sessions on what a lab's own model says, and a report is made."""

import pytest

from analysis.cli import main
from participants.folder import DataFolder
from participants.registry import Assignment
from participants.simulate.run import simulate
from participants.studies.simulatability.plan import plan_session
from stimuli.pack import open_pack
from tests.participants.export.readme import exported_readme
from tests.participants.studies.simulatability.taken import taken
from tests.xai_backend.studies.simulatability.own_models import TOPICS


def test_robots_predict_what_a_bert_says(news_lab):
    pack = open_pack(news_lab[0] / "pack", "solutions")
    plan = plan_session(pack, Assignment("sheet-01", "text_lime", "left"), "en", "CDF34HK")
    events = taken(plan, pack, robot="reader")
    assert set(TOPICS) <= {one["decision"] for one in events if one.event == "trial_end"}


@pytest.mark.slow
def test_robots_take_part_and_a_report_is_made(tree_lab, tmp_path):
    pack = open_pack(tree_lab[0] / "pack", "solutions")
    data = DataFolder(tmp_path / "data")
    simulate(data, pack, ["reader"] * len(pack.protocol.arms))
    out = tmp_path / "report"
    assert main(["analyse", "simulatability", "--data", str(data.root), "--out", str(out)]) == 0
    assert "lab_tree:chances" in (out / "tables" / "arms.csv").read_text(encoding="utf-8")
    assert "lab_tree:chances" in (out / "report.html").read_text(encoding="utf-8")
    said = exported_readme(data, tmp_path / "bids")
    assert "explanations of method lime: network lab_tree:chances; weights of SHA-256" in said
