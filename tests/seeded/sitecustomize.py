"""Python runs this first in the child processes of a test: it seeds the codes that they draw.

The seed comes from the test and from the command. Without the numbers of temporary folders, the
command is the same in each run.
"""

import os
import re
import sys


def seed_codes(command):
    """Seed the codes that a process draws by what it was started with."""
    import random
    import secrets

    told = [os.environ["PLAINSIGHT_TESTS_SEED"], *command]
    told.append(os.environ.get("PLAINSIGHT_LAB", ""))
    fixed = re.sub(r"pytest-\d+|popen-gw\d+|plainsight-tests-\w+", "", "\n".join(told))
    secrets.choice = random.Random(fixed).choice


if "PLAINSIGHT_TESTS_SEED" in os.environ:
    seed_codes(sys.orig_argv[1:])
