"""What the paper reports, beside what was found; pixels as per cent of the image."""

from collections.abc import Mapping
from typing import Any

from analysis.report.published import Beside, beside_rows
from analysis.report.wording import NOTHING, number, percent
from analysis.studies.progressive_reveal.rates import READINGS
from analysis.studies.progressive_reveal.words import method_name
from stimuli.studies.progressive_reveal.protocol import HUMAN

Results = Mapping[str, Any]

REFERENCE = (
    "Dawoud et al. (2023), Human-Centered Evaluation of XAI Methods: 76 participants, 3836 rounds "
    "of 17 classes × 6 images."
)
REMARK = (
    "The paper counts pixels of 256 × 256 images (65536, by its own arithmetic); they are compared "
    "as per cent of the image. How failed rounds enter its Table III isn’t stated: ours stands in "
    "both readings. Other images, classes and participants give other numbers: agreement isn’t "
    "expected, the comparison shows the scale."
)
IMAGE_PIXELS = 65536
TABLE3: Mapping[str, tuple[float, float, float]] = {
    "human": (3006.9, 1.63, 0.81),
    "lrp": (3331.9, 1.49, 0.84),
    "occlusion": (3146.1, 1.49, 0.75),
    "protopnet": (4662.3, 1.55, 0.88),
}
# Of the images on which each method uncovered least: of all methods, of all but human maps.
TABLE4: Mapping[str, tuple[int, int | None]] = {
    "human": (43, None),
    "occlusion": (29, 50),
    "lrp": (16, 35),
    "protopnet": (14, 17),
}
IMAGES = 102
LATE: Mapping[str, float] = {"lrp": 6500, "occlusion": 6500, "protopnet": 9000}


def published_rows(results: Results) -> dict[str, Any]:
    """Return the paper's values with ours, as they stand in results.json."""
    rows = [*_table3(results), *_late(results), *_table4(results), *_steps(results)]
    values = {
        "image_pixels": IMAGE_PIXELS,
        "images": IMAGES,
        "table3": [
            {"method": m, "pixels": p, "share": p / IMAGE_PIXELS, "attempts": a, "rate": r}
            for m, (p, a, r) in TABLE3.items()
        ],
        "table4": [{"method": m, "images": n, "without": w} for m, (n, w) in TABLE4.items()],
        "late": [{"method": m, "pixels": p, "share": p / IMAGE_PIXELS} for m, p in LATE.items()],
    }
    return {
        "reference": REFERENCE,
        "remark": REMARK,
        "rows": beside_rows(rows),
        "values": values,
    }


def _table3(results: Results) -> list[Beside]:
    ours = {(row["method"], row["reading"]): row for row in results["table3"]}
    found = []
    for method, (pixels, attempts, rate) in TABLE3.items():
        own = ours.get((method, "recognised"))
        every = ours.get((method, "all_last_step"))
        share = pixels / IMAGE_PIXELS
        name = method_name(method, results["data"])
        both = (
            f"{percent(own['share'], 1)} / {percent(every['share'], 1)}"
            if own and every
            else NOTHING
        )
        found += [
            Beside(
                f"Uncovered on average, {name} (recognised rounds / all rounds)",
                f"{percent(share, 1)} ({number(pixels, 1)} px)",
                "Table III",
                both,
                share,
                every["share"] if every else None,
            ),
            Beside(
                f"Tries, {name}",
                number(attempts),
                "Table III",
                number(own["attempts"]) if own else NOTHING,
                attempts,
                own["attempts"] if own else None,
            ),
            Beside(
                f"Recognition rate, {name}",
                percent(rate),
                "Table III",
                percent(own["recognition_rate"], 1) if own else NOTHING,
                rate,
                own["recognition_rate"] if own else None,
            ),
        ]
    return found


def _late(results: Results) -> list[Beside]:
    ours = {row["method"]: row for row in results["survival"]["needed"]["late"]}
    found = []
    for method, pixels in LATE.items():
        own, name = ours.get(method), method_name(method, results["data"])
        value = own["recognised_only"] if own else None
        found.append(
            Beside(
                f"Uncovered when nine tenths of the recognised rounds were, {name}",
                f"about {percent(pixels / IMAGE_PIXELS, 1)} ({number(pixels, 0)} px)",
                "Figure 7, section IV-A",
                percent(value, 1),
                pixels / IMAGE_PIXELS,
                value,
            )
        )
    return found


def _table4(results: Results) -> list[Beside]:
    ours = {(row["method"], row["reading"]): row for row in results["table4"]}
    data = results["data"]
    aside = data["reference"] == HUMAN
    found = []
    for column, also in enumerate(("", f", {method_name(HUMAN, data)} excluded")):
        for method, published in TABLE4.items():
            images = published[column]
            if images is None:
                continue
            known = ours if aside or not column else {}
            own = [_lowest(known.get((method, reading)), column) for reading in READINGS]
            found.append(
                Beside(
                    f"Images where {method_name(method, data)} uncovered the least{also} "
                    "(recognised rounds / all rounds)",
                    _of(images, IMAGES),
                    "Table IV",
                    " / ".join(_of(*counts) for counts in own),
                    images / IMAGES,
                    own[1][0] / own[1][1] if own[1][1] else None,
                )
            )
    return found


def _lowest(row: Mapping[str, Any] | None, column: int) -> tuple[int, int]:
    """Return of how many images a method uncovered least, and how many were compared."""
    if row is None:
        return 0, 0
    images, compared = (("images", "compared"), ("without_reference", "compared_without"))[column]
    return row[images] or 0, row[compared]


def _of(images: int, compared: int) -> str:
    """Return a count of images as per cent of those compared, e.g. ``42 % (43 of 102)``."""
    return f"{percent(images / compared)} ({images} of {compared})" if compared else NOTHING


def _steps(results: Results) -> list[Beside]:
    steps = results["steps"]
    return [
        Beside(
            "Participants whose average step of recognition lies between the 4th and the 9th",
            "all users",
            "section IV-B",
            percent(steps["people_between"]),
            1.0,
            steps["people_between"],
        )
    ]
