"""A study as questions: each has its numbers, its part of the report and its promise."""
