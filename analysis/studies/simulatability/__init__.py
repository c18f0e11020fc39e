"""Study simulatability: from the trial table to Change, its report, its power."""
