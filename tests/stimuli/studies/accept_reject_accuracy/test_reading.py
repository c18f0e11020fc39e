"""Labelled sets, predictions and names from files: read as meant, refused in one line."""

import json

import pytest

from stimuli.errors import UserError
from stimuli.images.sets import read_labelled, read_predictions
from stimuli.names import name_rows, read_names, words_of
from stimuli.protocol import load_protocol
from stimuli.studies.accept_reject.assessment import of_plates
from stimuli.studies.accept_reject.protocol import AcceptReject
from stimuli.studies.accept_reject_accuracy.protocol import AcceptRejectAccuracy


def written(folder, name, text):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_answers_are_ranked_by_confidence_and_found_by_a_files_name(tmp_path):
    path = written(
        tmp_path, "s.csv", "image,label,confidence\na.png,x,0.2\na.png,y,0.7\nb/b.png,x,0.5\n"
    )
    found = read_predictions(path, {"k/a.png", "b/b.png"})
    assert [answer.label for answer in found["k/a.png"]] == ["y", "x"]
    assert found["b/b.png"][0].confidence == 0.5


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("image,label\n", "no answer to 2 of 2 images, e.g. a.png"),
        ("image,label,confidence\na.png,x,1.5\nb.png,x,1\n", "confidence is '1.5'"),
        ("image,label,confidence\na.png,x,much\nb.png,x,1\n", "confidence is 'much'"),
        ("image,label\na.png,x\na.png,y\nb.png,x\n", "several answers"),
    ],
)
def test_faulty_answers_are_refused_in_one_line(tmp_path, text, said):
    with pytest.raises(UserError, match=said):
        read_predictions(written(tmp_path, "s.csv", text), {"a.png", "b.png"})


def test_names_come_from_a_csv_or_a_class_index(tmp_path):
    table = written(tmp_path, "n.csv", "label,name,de\nn1,tench,Schleie\nn2,dog,\n")
    assert read_names(table) == {("n1", ""): "tench", ("n1", "de"): "Schleie", ("n2", ""): "dog"}
    index = {"0": ["n1", "tench"], "1": ["n2", "great_white_shark"]}
    of_index = read_names(written(tmp_path, "n.json", json.dumps(index)))
    assert of_index["n2", ""] == "great white shark"
    with pytest.raises(UserError, match="is no class index"):
        read_names(written(tmp_path, "n.json", "[1]"))
    rows = name_rows({"n1", "n2", "no_solution"}, read_names(table))
    assert words_of(rows, "de") == {"n1": "Schleie", "n2": "dog"}
    assert words_of(rows, "en") == {"n1": "tench", "n2": "dog"}


def test_two_labels_of_one_word_in_one_language_are_refused():
    """One has a German word of its own, which is the other's word for every language."""
    names = {("c0", ""): "rooster", ("c0", "de"): "Hahn", ("c1", ""): "Hahn"}
    with pytest.raises(UserError, match="both called 'Hahn'"):
        name_rows(["c0", "c1"], names)


def test_a_table_that_is_no_csv_is_one_line(tmp_path):
    table = tmp_path / "t.csv"
    table.write_text('image,label\na.png,"' + "x" * 200_000 + '"\n', encoding="utf-8")
    with pytest.raises(UserError, match=r"t\.csv: can't be read as CSV"):
        read_labelled(table)


def test_a_file_is_read_under_its_own_name_alone(tmp_path):
    own = 'schema = "protocol/1.0"\nstudy = "accept_reject"\n'
    usual = load_protocol("accept_reject", written(tmp_path, "a.toml", own))
    assert isinstance(usual, AcceptReject)
    accuracy = written(tmp_path, "b.toml", own + 'assessment = "accuracy"\nname = "own"\n')
    found = load_protocol("accept_reject_accuracy", accuracy)
    assert isinstance(found, AcceptRejectAccuracy)
    assert (found.name, found.trial.cutoff_s) == ("own", 30.0)
    with pytest.raises(UserError, match=r"b\.toml: is a protocol of accept_reject_acc"):
        load_protocol("accept_reject", accuracy)
    with pytest.raises(UserError, match=r"a\.toml: is a protocol of accept_reject, not of"):
        load_protocol("accept_reject_accuracy", tmp_path / "a.toml")
    by_name = own.replace("accept_reject", "accept_reject_accuracy")
    for number, text in enumerate((by_name, by_name + 'assessment = "accuracy"\n')):
        named = written(tmp_path, f"d{number}.toml", text)
        with pytest.raises(UserError, match='study = "accept_reject" and assessment = "accuracy"'):
            load_protocol("accept_reject_accuracy", named)
    other = written(tmp_path, "c.toml", own + 'assessment = "speed"\n')
    with pytest.raises(UserError, match="accept_reject_speed"):
        load_protocol("accept_reject", other)


def test_a_verb_for_plates_refuses_images_in_one_line():
    plates = load_protocol("accept_reject")
    assert of_plates(plates, "power") is plates
    images = load_protocol("accept_reject_accuracy")
    with pytest.raises(UserError, match="power: protocol 'accuracy' assesses accuracy"):
        of_plates(images, "power")
