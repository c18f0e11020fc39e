"""Squares numbers slowly with two workers and keeps each; prints every key as it is done."""

import sys
import time
from pathlib import Path

from stimuli.workers import Kept, Workers, ordered_map


def square(number: int) -> int:
    time.sleep(0.15)
    return number * number


if __name__ == "__main__":
    kept = Kept(Path(sys.argv[1]))
    tasks = ((str(number), number) for number in range(int(sys.argv[2])))
    done = ordered_map(square, tasks, Workers(2), kept, lambda key: print(key, flush=True))
    print("sum", sum(value for _, value in done), flush=True)
