"""Explanations in words that a table names as ``METHOD:text``: marked words, and rationales.

A rationale is what a language model goes on with after a prompt: the likeliest token each time, so
that the same folder and prompt give the same text.
"""

import re
from collections.abc import Sequence
from typing import Final

from stimuli.catalogue import studies_of
from stimuli.errors import UserError
from stimuli.maps.origin import NETWORK, Origin, settings_text
from stimuli.table_study.items import RATIONALE
from stimuli.table_study.protocol import RationaleRules
from xai_backend.determinism import deterministic
from xai_backend.models.classifier import checked_device
from xai_backend.models.language_models import LanguageModel, load_language_model
from xai_backend.models.transformers_models import PREFIX
from xai_backend.packs.origins import name_in_pack
from xai_backend.progress import Reporter
from xai_backend.study import Metrics

OPTION: Final = "--text-model"
MARKDOWN: Final = re.compile(r"[\\`*_\[<&]|^[#+>-]|(?<=\d)[.)](?= )")
"""Signs that Markdown may read as its own; a model writes them as signs."""
SHOWN: Final = 60
"""Characters of a prompt that a message shows."""


def texts_by(
    method: str,
    prompts: Sequence[str],
    model: str,
    device: str,
    rules: RationaleRules | None,
    reporter: Reporter,
    *,
    metrics: bool = False,
) -> tuple[dict[tuple[str, str], str], Origin, dict[tuple[str, str], Metrics]]:
    """Return what a method makes of what its model reads, by both, who made it, and its metrics.

    Parameters
    ----------
    method
        ``rationale``, or a method that marks words.
    prompts
        Prompts, or texts in Markdown.
    model, device
        The model's name, and where it computes.
    rules
        How rationales are written.
    reporter
        Shows progress.
    metrics
        Whether marked words get metrics.

    Raises
    ------
    UserError
        If the method or the model can't be used.
    """
    scores: list[Metrics] = []
    checked_device(device)
    if method != RATIONALE:
        marks = next(
            study.marked_words for study in studies_of("xai_backend").values() if study.marked_words
        )
        texts, origin, scores = marks(model, device, method, prompts, metrics)
    else:
        assert rules is not None
        texts, origin = _rationales(model, device, prompts, rules, reporter)
    keys = [(method, prompt) for prompt in prompts]
    metrics_by_key = dict(zip(keys, scores, strict=False)) if metrics else {}
    return dict(zip(keys, texts, strict=True)), origin, metrics_by_key


def _rationales(
    name: str, device: str, prompts: Sequence[str], rules: RationaleRules, reporter: Reporter
) -> tuple[list[str], Origin]:
    if not name.startswith(PREFIX):
        raise UserError(
            f"{OPTION} {name}: only a language model writes a {RATIONALE}; name its folder, "
            f"{PREFIX}DIR"
        )
    model = load_language_model(name, OPTION, device)
    texts, cut = [], 0
    with reporter.stage("rationales", len(prompts)) as advance, deterministic():
        for prompt in prompts:
            text, ended = written(model, prompt, rules.most_tokens)
            if not text:
                raise UserError(
                    f"{OPTION} {name}: writes nothing after the prompt …{prompt[-SHOWN:]!r}; "
                    "change the prompt under [rationale]"
                )
            texts.append(MARKDOWN.sub(r"\\\g<0>", text))
            cut += not ended
            advance(1)
    if cut:
        reporter.say(
            f"caution: {cut} of {len(prompts)} rationales have {rules.most_tokens} tokens, "
            "the most (rationale.most_tokens), and may be cut off: see items.csv of the pack"
        )
    settings = settings_text({"most_tokens": rules.most_tokens, "prompt": rules.prompt})
    return texts, Origin(
        NETWORK, name_in_pack(name), RATIONALE, settings, weights_sha256=model.sha256
    )


def written(model: LanguageModel, prompt: str, most: int) -> tuple[str, bool]:
    """Return what a model goes on with, and whether it came to an end before ``most`` tokens.

    It takes the likeliest token each time, as Transformers does without drawing. The text ends with
    the line, or with the model's end token.

    Raises
    ------
    UserError
        If the prompt and the text don't fit into what the model can read.
    """
    network, tokenizer = model.network, model.tokenizer
    read = tokenizer(prompt, return_tensors="pt").to(network.device)
    length = read["input_ids"].shape[1]
    places = getattr(network.config, "max_position_embeddings", None) or length + most
    if length + most > places:
        raise UserError(
            f"rationale: the prompt …{prompt[-SHOWN:]!r} has {length} tokens, and the text up to "
            f"{most}; the model reads {places}"
        )
    generated = network.generate(
        input_ids=read["input_ids"], attention_mask=read["attention_mask"], do_sample=False,
        num_beams=1, max_new_tokens=most, pad_token_id=tokenizer.pad_token_id,
    )[0, length:]  # fmt: skip
    line, end, _ = tokenizer.decode(generated, skip_special_tokens=True).lstrip().partition("\n")
    return line.rstrip(), bool(end) or len(generated) < most
