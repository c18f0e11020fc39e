"""Where the lines of a paragraph end."""

from collections.abc import Sequence

LEAST_LAST = 0.2
LONELY = 20.0


def breaks(
    widths: Sequence[float], space_px: float, width_px: float, *, balanced: bool
) -> list[tuple[int, int]]:
    """Return which words stand on each line: as few lines as there must be, then the best.

    Best is the least sum of squared rests of the lines but the last, which should not be left
    with a lonely word; in a balanced text the last line counts like the others (after Knuth
    and Plass 1981, for lines that are not stretched).

    Parameters
    ----------
    widths
        Of the words, pixels; one wider than the column has a line of its own.
    space_px, width_px
        Width of a space, and of the column.
    balanced
        Whether all lines should be about equally long.

    Returns
    -------
    list of (int, int)
        First word of each line, and the word after its last.
    """
    count = len(widths)
    best: list[tuple[int, float, int]] = [(0, 0.0, count)]
    for first in range(count - 1, -1, -1):
        found: tuple[int, float, int] | None = None
        length = -space_px
        for end in range(first + 1, count + 1):
            length += space_px + widths[end - 1]
            if length > width_px and end > first + 1:
                break
            lines, cost, _ = best[count - end]
            rest = max(0.0, 1 - length / width_px)
            own = _cost(rest, last=end == count, alone=first == 0, balanced=balanced)
            candidate = (lines + 1, cost + own, end)
            found = candidate if found is None or candidate[:2] < found[:2] else found
        assert found is not None
        best.append(found)
    rows, first = [], 0
    while first < count:
        end = best[count - first][2]
        rows.append((first, end))
        first = end
    return rows


def _cost(rest: float, *, last: bool, alone: bool, balanced: bool) -> float:
    """Return how bad a line with a share of it left empty is."""
    if not last or balanced:
        return rest**2
    return 0.0 if alone else max(0.0, rest - (1 - LEAST_LAST)) ** 2 * LONELY
