"""The verb ``fit``: a formula and any table to estimates, tests and averages."""
