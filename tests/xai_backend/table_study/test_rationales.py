"""A table that names rationales: a language model writes them, the likeliest token each time."""

from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

from experiments.screens.markdown import blocks_of
from stimuli.catalogue import OUTSIDE
from stimuli.pack import open_pack
from stimuli.protocol import load_protocol
from stimuli.study import origins_in, rules_as_pack
from stimuli.table_study.tables import items_schema
from tests.stimuli.table_study.tables_at_hand import DESIGN, write_study
from xai_backend.cli import main
from xai_backend.models.language_models import load_language_model
from xai_backend.table_study.texts import written

SIGNS = "abcdefghijklmnopqrstuvwxyz .:*_#-<1\nNARDW"
END, UNKNOWN, MOST, PLACES = len(SIGNS), len(SIGNS) + 1, 12, 64
PROMPT = "{text} AI: {advice}. Reason:"
DESIGNED = f'{DESIGN}\n[rationale]\nprompt = "{PROMPT}"\nmost_tokens = {MOST}\n'
TABLE = """\
item,text,right,advice,advice_text,help,phase
a,it barks.,dog,dog,,none,main
a,it barks.,dog,dog,rationale:text,map,main
b,it howls at night,wolf,dog,,none,main
b,it howls at night,wolf,dog,rationale:text,map,main
c1,Press dog.,dog,dog,,,catch
"""
ASKED = {"a.2": "it barks. AI: dog. Reason:", "b.2": "it howls at night AI: dog. Reason:"}


def language_model(folder, seed):
    """Write a small GPT-2 of random weights that reads letters."""
    codes = {sign: code for code, sign in enumerate(SIGNS)} | {"[END]": END, "[UNK]": UNKNOWN}
    tokenizer = Tokenizer(models.WordLevel(codes, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    tokenizer.decoder = decoders.Fuse()
    whole = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, unk_token="[UNK]", eos_token="[END]"
    )
    whole.save_pretrained(folder)
    torch.manual_seed(seed)
    config = GPT2Config(
        vocab_size=len(codes), n_embd=16, n_layer=2, n_head=2, n_positions=PLACES,
        initializer_range=0.6, eos_token_id=END, bos_token_id=None,
    )  # fmt: skip
    GPT2LMHeadModel(config).save_pretrained(folder)
    return f"hf:{folder}"


@pytest.fixture
def study(tmp_path, monkeypatch):
    def make(design=DESIGNED, table=TABLE):
        folder = write_study(tmp_path, design, table)
        monkeypatch.setenv(OUTSIDE, str(folder))
        monkeypatch.chdir(tmp_path)
        return str(tmp_path / "pack")

    return make


def likeliest(model, prompt):
    """Return what the likeliest tokens say, each after reading all before it; and how many."""
    codes, said = model.tokenizer(prompt)["input_ids"], []
    while len(said) < MOST and (not said or said[-1] != END):
        with torch.no_grad():
            logits = model.network(torch.tensor([codes + said])).logits
        said.append(int(logits[0, -1].argmax()))
    return "".join(SIGNS[code] for code in said if code < END), len(said)


def test_the_likeliest_tokens_are_written_up_to_the_end_or_the_line(tmp_path):
    kinds = set()
    for seed in (0, 3, 6):
        name = language_model(tmp_path / str(seed), seed)
        model = load_language_model(name, "--text-model", "cpu")
        for prompt in ASKED.values():
            slow, count = likeliest(model, prompt)
            line, end, _ = slow.lstrip().partition("\n")
            assert written(model, prompt, MOST) == (line.rstrip(), bool(end) or count < MOST)
            kinds.add("line" if end else "end" if count < MOST else "cut")
    assert kinds == {"line", "end", "cut"}


def test_rationales_are_in_the_pack_with_their_maker(study, tmp_path, capsys):
    name, out = language_model(tmp_path / "writer", 2), study()
    assert main(["build", "wolves", "--text-model", name, "--out", out]) == 0
    pack = open_pack(Path(out))
    rows = {row["presentation"]: row for row in pack.table(items_schema(pack.protocol))}
    model = load_language_model(name, "--text-model", "cpu")
    for item, prompt in ASKED.items():
        (block,) = blocks_of(str(rows[item]["advice_text"]))
        shown = " ".join(word.text for word in block.words)
        assert shown == " ".join(likeliest(model, prompt)[0].split())
    assert rows["a.1"]["advice_text"] is None
    (origin,) = origins_in(pack).values()
    assert origin.weights_sha256 == model.sha256
    assert origin.note == "hf:writer"
    assert origin.settings == f"most_tokens={MOST}, prompt={PROMPT}"
    assert "2 of 2 rationales have 12 tokens, the most" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("[rationale]", "[other]", "study.toml: "),
        (PROMPT, "Why?", "rationale.prompt: names no column, such as {text}"),
        (PROMPT, "{txt} Why?", "rationale.prompt: {txt} is no column that a prompt can have: "),
        (f"most_tokens = {MOST}", "most_tokens = 0", "rationale.most_tokens"),
        (f"most_tokens = {MOST}", f"most_tokens = {PLACES}", "up to 64; the model reads 64"),
        (
            DESIGNED,
            DESIGN,
            "row 3, column advice_text: rationale:text: study.toml has no prompt under [rationale]",
        ),
        ("{text}", "{question}", "row 3, column question: is empty; the prompt under [rat"),
    ],
)
def test_a_mistake_is_one_line(study, tmp_path, capsys, old, new, told):
    name, out = language_model(tmp_path / "writer", 3), study(DESIGNED.replace(old, new))
    capsys.readouterr()
    assert main(["build", "wolves", "--text-model", name, "--out", out]) == 2
    *progress, said = capsys.readouterr().err.splitlines()
    assert told in said
    assert all(line.startswith("rationales ") for line in progress)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "the table names texts by rationale; give the model with --text-model"),
        (["--text-model", "judges:judge"], "only a language model writes a rationale; name its fo"),
        (["--text-model", "hf:nowhere"], "--text-model hf:nowhere: contains no language model"),
        (["--text-model", "hf:writer", "--device", "tpu"], "--device tpu: "),
    ],
)
def test_a_model_that_cant_write_is_one_line(study, tmp_path, capsys, words, told):
    language_model(tmp_path / "writer", 3)
    capsys.readouterr()
    assert main(["build", "wolves", *words, "--out", study()]) == 2
    said = capsys.readouterr().err
    assert told in said
    assert said.count("\n") == 1


def test_a_sketch_shows_the_prompt(study):
    study()
    pack = rules_as_pack(load_protocol("wolves"))
    shown = [row["advice_text"] for row in pack.table(items_schema(pack.protocol))]
    assert shown[1] == ASKED["a.2"]
