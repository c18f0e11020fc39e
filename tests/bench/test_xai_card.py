"""A graphics card's sheet: what fits into the time, what a card can't hold, and what it costs."""

from dataclasses import dataclass, field

import pytest
import torch

from bench.parts import xai_card
from bench.parts.xai_card import (
    BATCHES,
    PRECISIONS,
    Extent,
    Rate,
    Setting,
    TorchCard,
    fill_sheet,
    in_precision,
)
from xai_backend import determinism

MIB = 2**20


@dataclass
class SlowCard:
    """A card of a test: each measurement lasts a second, and 512 inputs are too many."""

    now_s: float = 0.0
    asked: list[Setting] = field(default_factory=list)

    def rate(self, setting):
        self.now_s += 1
        self.asked.append(setting)
        return Rate(None) if setting.batch >= 256 else Rate(float(setting.batch), 1.0)

    def difference(self, setting):
        return 0.0

    def pack(self, network, method):
        self.now_s += 10
        return 10.0


def sheet_of(minutes):
    card = SlowCard()
    extent = Extent(minutes=minutes)
    return card, extent, fill_sheet(card, extent, lambda: card.now_s)


def test_with_enough_time_all_batches_are_measured_but_those_above_what_fits():
    card, extent, sheet = sheet_of(60)
    methods = len(list(extent.settings([1]))) // len(PRECISIONS)
    assert sheet.left_out == 0
    assert len(sheet.packs) == 2 * len(extent.of_a_pack) - 1  # no LRP of a transformer
    assert {one.batch for one in sheet.rates} == set(BATCHES)
    assert len(card.asked) == len(set(card.asked)) == len(BATCHES) * len(PRECISIONS) * methods
    assert set(sheet.differences) == {one for one in sheet.rates if one.batch == 64}


def test_a_batch_above_one_that_does_not_fit_is_not_tried():
    card = SlowCard()
    fill_sheet(card, Extent(batches=(256, 512, 1), minutes=60), lambda: card.now_s)
    assert {one.batch for one in card.asked} == {256, 1}


def test_when_the_time_is_over_the_rest_is_counted():
    _, extent, sheet = sheet_of(0.5)
    assert len(sheet.rates) == 30
    assert sheet.packs == {}
    everything = len(list(extent.settings(BATCHES)))
    assert sheet.left_out == everything - 30
    text = xai_card._text(sheet, extent, 450)
    assert f"The time ended before {sheet.left_out} more settings." in text


def test_a_cards_memory_is_counted_beside_what_the_network_takes(monkeypatch):
    """The functions of torch that only a card has are stood in for."""
    made = []
    monkeypatch.setattr(torch.cuda, "memory_allocated", lambda device: 100 * MIB)
    monkeypatch.setattr(torch.cuda, "max_memory_allocated", lambda device: 130 * MIB)
    monkeypatch.setattr(torch.cuda, "reset_peak_memory_stats", lambda device: made.append("reset"))
    monkeypatch.setattr(torch.cuda, "synchronize", lambda device: made.append("wait"))
    prepared = xai_card.prepared
    monkeypatch.setattr(xai_card, "prepared", lambda name, place, n: prepared(name, "cpu", n))
    card = TorchCard(torch.device("cuda"), lambda *key: torch.ones(1, 2, 2))
    rate = card.rate(Setting("squeezenet1_1", "gradcam", "float32", 2))
    assert rate.mebibytes == 30
    assert rate.per_s > 0
    assert made == ["reset", "wait", "wait"]


def test_what_does_not_fit_is_told_by_a_dash(monkeypatch):
    def full(*given):
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(xai_card, "prepared", full)
    monkeypatch.setattr(xai_card, "explained", full)
    card = TorchCard(torch.device("cpu"), full)
    setting = Setting("squeezenet1_1", "gradcam", "float32", 512)
    assert card.rate(setting) == Rate(None)
    assert card.difference(setting) is None
    assert xai_card._cell(card.rate(setting)) == "–"


@pytest.mark.parametrize(("name", "products"), [("float32", "ieee"), ("TF32", "tf32")])
def test_tf32_reaches_the_products_of_a_card(name, products):
    with in_precision(name, torch.device("cpu")), determinism.deterministic():
        assert torch.backends.cuda.matmul.fp32_precision == products
        assert torch.backends.cudnn.conv.fp32_precision == products


def test_bfloat16_computes_products_in_half_precision():
    with in_precision("bfloat16", torch.device("cpu")):
        assert (torch.ones(2, 2) @ torch.ones(2, 2)).dtype == torch.bfloat16
