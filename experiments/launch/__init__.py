"""The start window: who takes part in what, whether the session may begin, and what came of it."""
