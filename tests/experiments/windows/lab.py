"""Runs a verb of the experiments room in a process of its own, as the door does."""

import sys

from experiments.cli import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
