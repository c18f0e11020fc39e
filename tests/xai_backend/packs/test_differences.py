"""What the command of a build makes differ is kept in the pack, and told like other deviations."""

from pathlib import Path

import pytest

from analysis.report.frame import DEVIATIONS
from stimuli.catalogue import studies_of
from stimuli.deviations import differences
from stimuli.images.digits import load_digits
from stimuli.maps.origin import RESPONSE_MODEL, Origin
from stimuli.protocol import load_protocol, protocol_from_resolved
from xai_backend.methods.human import Human
from xai_backend.options import NamedMethod
from xai_backend.packs.differences import of_methods, stated
from xai_backend.studies.accept_reject_accuracy.build import _protocol as accuracy_protocol
from xai_backend.studies.accept_reject_accuracy.request import AccuracyRequest
from xai_backend.studies.human_ai_team import protocol as team
from xai_backend.studies.human_ai_team.request import TeamRequest
from xai_backend.studies.progressive_reveal import protocol as reveal
from xai_backend.studies.progressive_reveal.maps import Brought
from xai_backend.studies.progressive_reveal.request import RevealRequest
from xai_backend.studies.simulatability import differences as cases
from xai_backend.studies.simulatability import request as cases_request
from xai_backend.studies.simulatability.request import CaseRequest

OWN = """\
schema = "protocol/1.0"
study = "human_ai_team"
name = "own"
[metrics]
wsl_iou = 0.4
"""
FILE = Path(__file__)
FOLDER = FILE.parent
ROBOTS = Brought(Human({}), Origin(RESPONSE_MODEL, "4 bubblers"))
PEOPLE = Brought(Human({}), Origin("people"))


def of_team(**given):
    request = TeamRequest(**given)
    return team.with_differences(team.resolved(request), request, "a quarter of the images")


def of_reveal(people=None, **given):
    request = RevealRequest(**given)
    digits = load_digits("uci") if request.of_digits else None
    return reveal.with_differences(reveal.resolved(None, None, None, digits), request, people)


def of_cases(left_out=None, **given):
    request = CaseRequest(**given)
    return cases.with_differences(cases_request.resolved(request), request, left_out or {})


def of_accuracy(**given):
    return accuracy_protocol(AccuracyRequest(**given))


@pytest.mark.parametrize(
    ("make", "given", "told"),
    [
        (of_team, {"per_bin": 4}, [
            "There are 174 images: 4 of each bin, and 50 attacked ones of each level.",
            "People judge digits.", "They come from a quarter of the images.",
            "The network is small and is trained on 150 digits.",
        ]),
        (of_team, {"source": FOLDER, "maps": {"gradcam": FOLDER}}, [
            f"People judge images of {FOLDER.name}.",
            f"gradcam is the maps in the lab's folder {FOLDER.name}.",
        ]),
        (of_reveal, {"robot_bubblers": 3}, [
            "People see digits.", "Human maps are of robots: 3 bubblers an image.",
            "images.classes is 10.",
        ]),
        (of_reveal, {"people": ROBOTS, "source": FOLDER}, [
            "Human maps are of robots: 4 bubblers."
        ]),
        (of_reveal, {"protopnet": FILE}, ["It was trained elsewhere, and comes from"]),
        (of_cases, {}, [
            "There are 4,000 reviews, which a grammar made up.",
            "There are 6,000 applications for loans, which a rule made up.",
            "They are learned from the sentences of the training split.",
        ]),
        (of_cases, {"table": FILE}, [
            f"Inputs are those of {FILE.name}.", "design.domains is tabular.",
        ]),
        (of_cases, {"text_outputs": FILE, "left_out": {"lime": "no model answers {here}"}}, [
            f"Inputs and outputs are those of {FILE.name}.", "lime is left out.",
        ]),
        (of_accuracy, {}, ["Tasks are digits, and S is a small network"]),
        (of_accuracy, {"source": FOLDER, "model": "resnet50"}, [
            f"Tasks are the images of {FOLDER.name}, and S is resnet50."
        ]),
    ],
)  # fmt: skip
def test_a_pack_keeps_what_its_command_makes_differ(make, given, told):
    built = make(**given)
    again = protocol_from_resolved(built.resolved(), "a pack")
    rows = DEVIATIONS.files(again)["deviations"]
    by_build = [row["here"] for row in rows if row["whose"] == "the build"]
    for text in told:
        assert any(text in here for here in by_build), (text, by_build)
    assert not [row for row in rows if row["whose"] == "a changed setting"]
    assert len({(row["field"], row["here"]) for row in rows}) == len(rows)


@pytest.mark.parametrize(
    ("given", "lacking"),
    [
        ({"people": PEOPLE, "source": FOLDER}, "Human maps are of robots"),
        ({"for_bubbling": True}, "Human maps are of robots"),
    ],
)
def test_peoples_maps_are_no_robots(given, lacking):
    assert lacking not in " ".join(one.here for one in of_reveal(**given).deviations)


@pytest.mark.parametrize("study", sorted(studies_of("stimuli")))
def test_a_build_that_changes_nothing_states_nothing(study):
    protocol = load_protocol(study)
    assert stated(protocol, None) == protocol


def test_what_the_labs_file_sets_stays_the_labs(tmp_path):
    (tmp_path / "own.toml").write_text(OWN, encoding="utf-8")
    request = TeamRequest(protocol_file=tmp_path / "own.toml", per_bin=4, adversarial_per_level=2)
    rows = differences(team.with_differences(team.resolved(request), request, "there"))
    assert [one.here for one in rows if one.whose == "setting"] == ["metrics.wsl_iou is 0.4."]
    (images,) = [one for one in rows if one.field == "bins.per_bin"]
    assert images.here.startswith("There are 30 images: 4 of each bin, and 2 attacked ones")


def test_names_with_braces_are_written_as_they_are():
    methods = {"mine": NamedMethod("mine:f", ("form={round}",))}
    protocol = stated(load_protocol("accept_reject"), None, of_methods(methods))
    (row,) = [row for row in differences(protocol) if row.field == "--method"]
    assert row.here == "mine is mine:f form={round}."
