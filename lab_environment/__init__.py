"""Making the environment in which everything else runs, with the standard library alone.

Only what a look at the environment needs is imported at once: the look happens on
every call of ``lab.py``.
"""

from lab_environment.environment import Environment
from lab_environment.words import SetupError, say

__all__ = ["Environment", "SetupError", "say"]
