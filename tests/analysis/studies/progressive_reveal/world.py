"""A made-up study of progressive_reveal whose truth is known.

Each round has a share of the image that recognition needs: log-logistic, with effects of
method, image and person; with some probability the image is never recognised. A round is
recognised at the first step that uncovers so much.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from participants.dataset.table_files import schema_of
from participants.studies.progressive_reveal.rows import SURVEY_COLUMNS, TABLES

METHODS = ("human", "lrp", "occlusion", "protopnet")
SIZE = 256 * 256
STEPS = 15
STEP_S = 4.0


@dataclass(frozen=True)
class World:
    """What is true.

    `median` is the share that the average person needs of the average image, by method;
    `slope` the logistic's scale in log share; `lapse` the probability of never recognising.
    """

    classes: int = 8
    each: int = 3
    median: tuple[float, ...] = (0.03, 0.035, 0.04, 0.06)
    slope: float = 0.35
    item_sd: float = 0.5
    person_sd: float = 0.3
    person_method_sd: float = 0.0
    lapse: tuple[float, ...] = (0.05, 0.05, 0.2, 0.05)
    seed: int = 1

    @cached_property
    def items(self):
        return tuple(f"image-{number:03d}" for number in range(self.classes * self.each))

    @cached_property
    def class_of(self):
        return tuple(f"class-{number % self.classes:02d}" for number in range(len(self.items)))

    @cached_property
    def _draws(self):
        rng = np.random.default_rng([self.seed, 1])
        items = len(self.items)
        return rng.normal(0, self.item_sd, items), rng.uniform(0.04, 0.16, items)

    @cached_property
    def pixels(self):
        """(items, methods, steps) by the published rules."""
        human = np.ceil(self._draws[1] * SIZE)
        tenth = np.ceil(0.10 * SIZE)
        final = np.stack([human, *[np.maximum(tenth, human)] * 2, np.full_like(human, SIZE // 6)])
        steps = np.arange(1, STEPS + 1)
        return np.ceil(final.T[:, :, None] * steps / STEPS)[:, : len(self.median)]

    @property
    def shares(self):
        return self.pixels / SIZE

    def needed(self, item, method, person, rng):
        """Return the share that each round needs; infinite where it is never recognised."""
        log = np.log(np.array(self.median))[method] + self._draws[0][item] + person
        needed = np.exp(log + rng.logistic(0, self.slope, len(item)))
        never = rng.random(len(item)) < np.array(self.lapse)[method]
        return np.where(never, np.inf, needed)

    def population(self, method, draws=4000):
        """Return (items, draws) needed shares of as many people."""
        rng = np.random.default_rng([self.seed, 2, method])
        person = rng.normal(0, self.person_sd, draws)
        return np.stack(
            [
                self.needed(np.full(draws, item), np.full(draws, method), person, rng)
                for item in range(len(self.items))
            ]
        )

    def study(self, people, rounds=None, leaving=0.0, seed=1):
        """Return the trial table: each person sees images by one method each, balanced."""
        rng = np.random.default_rng([self.seed, 3, seed])
        items, methods = len(self.items), len(self.median)
        person_effect = rng.normal(0, self.person_sd, people)
        own = rng.normal(0, self.person_method_sd, (people, methods))
        typing = np.exp(rng.normal(-1.4, 0.25, people))
        parts = []
        for person in range(people):
            order = rng.permutation(items)[: rounds or items]
            method = (order + person) % methods
            effect = person_effect[person] + own[person, method]
            needed = self.needed(order, method, effect, rng)
            parts.append(self._rounds(person, order, method, needed, leaving, typing[person], rng))
        table = pd.concat(parts, ignore_index=True)
        return table[[name for name in TABLES.trials.names if name in table]]

    def _rounds(self, person, item, method, needed, leaving, typing_s, rng):
        n = len(item)
        pixels, shares = self.pixels[item, method], self.shares[item, method]
        enough = shares >= needed[:, None]
        seen = np.where(rng.random(n) < leaving, rng.integers(0, STEPS, n), STEPS)
        step = np.where(enough.any(axis=1), enough.argmax(axis=1) + 1, STEPS + 1)
        recognised = step <= seen
        last = np.where(recognised, step, seen)
        wrong = rng.poisson(0.4, n)
        uncovered = np.where(last > 0, pixels[np.arange(n), np.maximum(last, 1) - 1], 0)
        names = np.array(self.items)[item]
        return pd.DataFrame(
            {
                "participant": f"P{person + 1:04d}",
                "session": f"s{person + 1:04d}",
                "purpose": "robot",
                "rig": "rig-1",
                "trial": np.arange(1, n + 1),
                "item": names,
                "condition": np.array(METHODS)[method],
                "rt_s": np.where(
                    recognised, (step - 1) * STEP_S + rng.uniform(0, STEP_S, n), np.nan
                ),
                "onset_s": np.arange(n) * 70.0,
                "shown_s": np.full(n, np.nan),
                "frames_planned": pd.array([pd.NA] * n, dtype="Int64"),
                "frames_dropped": 0,
                "pack_id": "sketch-world",
                "protocol_hash": "abc123",
                "repeat_of": pd.array([pd.NA] * n, dtype="Int64"),
                "counts": True,
                "presentation": [f"{i}-{m}" for i, m in zip(item, method, strict=True)],
                "list": str(person % 4),
                "sitting": 1,
                "position": np.arange(1, n + 1),
                "class": np.array(self.class_of)[item],
                "method": np.array(METHODS)[method],
                "catch": None,
                "recognised": recognised,
                "step": last,
                "pixels": uncovered.astype(int),
                "step_first_key": last,
                "pixels_first_key": uncovered.astype(int),
                "image_pixels": SIZE,
                "final_pixels": pixels[:, -1].astype(int),
                "attempts": wrong + recognised,
                "answers": "",
                "first_attempt_right": recognised & (wrong == 0),
                "keystrokes": 5 * (wrong + recognised),
                "table_walk": np.minimum(wrong + recognised, 1),
                "censored": ~recognised,
                "left": ~recognised & (seen < STEPS),
                "model_correct": item % 10 != 9,
                "typing_s": typing_s,
                "guess_rate": 1 / self.classes,
                "robot": "viewer",
                "map_origin": np.where(method == 0, "response_model", "network"),
            }
        )

    def curves(self):
        """Return the table of curves; correlations are made up."""
        rng = np.random.default_rng([self.seed, 4])
        items, methods, steps = self.pixels.shape
        level = rng.normal((1.0, 0.3, 0.05, -0.05)[:methods], 0.12, (items, methods))
        rows = []
        for i in range(items):
            for m in range(methods):
                for k in range(steps):
                    grown = level[i, m] * (1 - np.exp(-(k + 1) / 4))
                    r = np.nan if m == 0 else float(np.clip(grown, -1, 1))
                    rows.append((self.items[i], METHODS[m], k + 1, int(self.pixels[i, m, k]), r, r))
        return pd.DataFrame(rows, columns=schema_of("progressive_reveal", "curves").names)

    def item_table(self):
        """Return the item table."""
        curves = self.curves()
        last = curves[curves["step"] == STEPS].reset_index(drop=True)
        table = pd.DataFrame(
            {
                "item": last["item"],
                "class": [self.class_of[self.items.index(item)] for item in last["item"]],
                "method": last["method"],
                "use": "main",
                "model_class": None,
                "model_correct": True,
                "target_probability": 0.9,
                "final_pixels": last["pixels"],
                "image_pixels": SIZE,
                "ran_out": False,
                "human_correlation": last["human_correlation"],
                "map_origin": np.where(last["method"] == METHODS[0], "response_model", "network"),
                "map_origin_note": None,
            }
        )
        return table[list(schema_of("progressive_reveal", "items").names)]

    def people(self, trials):
        """Return the table of people; every fifth was asked nothing."""
        rng = np.random.default_rng([self.seed, 5])
        names = trials["participant"].unique()
        asked = np.arange(len(names)) % 5 != 4
        chosen = {
            column.name: np.where(asked, rng.choice(list(column.levels), len(names)), None)
            for column in SURVEY_COLUMNS.values()
        }
        return pd.DataFrame(
            {
                "participant": names,
                "session": [f"s{name[1:]}" for name in names],
                "complete": asked,
                "visits": 1 + np.arange(len(names)) % 3,
                **chosen,
            }
        )

    def write(self, folder, trials):
        """Write a dataset folder without packs or journals; returns it."""
        tables = folder / "tables"
        tables.mkdir(parents=True)
        trials.to_csv(tables / "trials.csv", index=False)
        self.people(trials).to_csv(tables / "people.csv", index=False)
        self.curves().to_csv(tables / "curves.csv", index=False)
        self.item_table().to_csv(tables / "items.csv", index=False)
        return folder
