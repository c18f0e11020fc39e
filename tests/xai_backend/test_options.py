"""Options that lack another one, or don't go together: each is one line."""

import pytest

from xai_backend.cli import main

LINES = {
    "build accept_reject": (
        ("--human-maps m", "--human-maps needs --tasks: the task pack on which they were painted"),
        ("--tasks t", "--tasks needs --human-maps or --robot-experts"),
        ("--tasks t --human-maps m --seed 0", "--seed doesn't go with --tasks: the task pack has"),
        ("--tasks t --robot-experts 1 --method a=b", "--method doesn't go with --tasks: S has sol"),
        ("--robot-experts 0", "'--robot-experts': Input should be greater than or equal to 1"),
    ),
    "build accept_reject_accuracy": (
        ("--model x", "--model needs --source: the labelled images that S answers"),
        ("--weights w.pt", "--weights needs --model"),
        ("--source photos", "--source needs --predictions or --answers or --model: S's answers"),
        ("--source photos --answers a --model x", "--model doesn't go with --answers: the table"),
        ("--source photos --predictions p --workers 2", "--workers doesn't go with --predictions"),
        ("--source photos --predictions p --other-answers", "--other-answers needs --answers"),
        ("--source texts.csv --model x", "--source of texts needs --predictions or --answers: no"),
        ("--source texts.csv --answers a --truth t", "--truth doesn't go with --source of texts"),
    ),
    "build human_ai_team": (
        ("--weights w.pt", "--weights doesn't go with --source digits: it is for images of"),
        ("--train-learned", "--train-learned needs --train"),
        ("--other-answers", "--other-answers needs --answers"),
        ("--source photos --answers a --model x", "--model doesn't go with --answers: the table"),
        ("--source texts.csv", "--source of texts needs --answers: no network of the suite judges"),
        ("--source texts.csv --answers a --for-maps o", "--for-maps doesn't go with --source of t"),
    ),
    "build progressive_reveal": (
        ("--source uci --weights w.pt", "--weights doesn't go with --source digits: it is for"),
        ("--human-maps m --robot-bubblers 2", "--robot-bubblers doesn't go with --human-maps: th"),
        ("--robot-bubblers 0", "'--robot-bubblers': Input should be greater than or equal to 1"),
        ("--for-bubbling --human-maps m", "--human-maps doesn't go with --for-bubbling: the task"),
        ("--source x.tfrecords", "--source of ClickMe's TFRecords needs --classes: the records"),
        ("--source x.tfrecords --classes c --human-maps m", "--human-maps doesn't go with --sour"),
    ),
    "build simulatability": (
        ("--from-sheets s --text t", "--text doesn't go with --from-sheets: the sheets contain"),
        ("--text-model m:f", "--text-model needs --text: the inputs of the model"),
        ("--text-model m:f --text-outputs o", "--text-model doesn't go with --text-outputs: the"),
        ("--table-model m:f --text t", "--table-model needs --table: the inputs of the model"),
        ("--edits hf:x --table t", "--edits hf:DIR needs --text: a language model changes sent"),
        ("--edits e.csv --text-outputs o", "--edits needs --text or --table: outputs of another"),
    ),
    "explain --model m --out o": (
        ("--method a --method b --images p", "--method given twice needs --compare: maps are of"),
        ("--method a --images p --compare", "--compare doesn't go with --method given once: it t"),
        ("--method human --images p", "--method human needs --human-maps: people's maps by image"),
        ("--method human --images p --check", "--check doesn't go with --method human: people's"),
        ("--method a --images p --human-maps d", "--human-maps doesn't go with --method other th"),
        ("--method a --images p --compile", "--compile doesn't go with --method other than occl"),
        ("--method a --images p --sample 3", "--sample needs --compare"),
        ("--method a --images texts.csv --labels l", "--labels doesn't go with --images FILE: a"),
        ("--method occlusion --method a --images p --compare --compile",
         "--compile doesn't go with --compare: they are for one method; leave --compile out"),
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("verb", "typed", "line"),
    [(verb, *refused) for verb, lines in LINES.items() for refused in lines],
)
def test_what_a_command_refuses_is_one_line(verb, typed, line, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "texts.csv").write_text("item,text,label\na,b,c\n", encoding="utf-8")
    assert main([*verb.split(), *typed.split()]) == 2
    written = capsys.readouterr().err
    assert line in written
    assert written.count("\n") == 1
