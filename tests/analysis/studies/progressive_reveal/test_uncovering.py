"""The report's and the preregistration's sentences about how much each method uncovers."""

from analysis.studies.progressive_reveal.design import uncovering
from stimuli.names import method_name
from stimuli.protocol import load_protocol


def said(**reveal):
    protocol = load_protocol(
        "progressive_reveal", None, {"reveal": reveal, "analysis": {"reference": "lrp"}}
    )
    return list(uncovering(protocol.reveal, method_name))


def test_the_published_rules_are_said_of_the_published_methods():
    assert said() == [
        "The reference, human maps, uncovers every pixel that is relevant.",
        "LRP and occlusion uncover 10.0 % of the image or, where that is more, as much as the "
        "reference.",
        "ProtoPNet uncovers 16.7 % of the image.",
    ]


def test_methods_of_a_lab_s_own_are_named_with_their_rules():
    rules = [{"method": "mine", "share": 0.25, "follow": False}]
    assert said(methods=["lrp", "mine", "theirs"], reference="none", rules=rules) == [
        "No method sets how much the others uncover.",
        "LRP and theirs uncover 10.0 % of the image.",
        "Mine uncovers 25.0 % of the image.",
    ]
