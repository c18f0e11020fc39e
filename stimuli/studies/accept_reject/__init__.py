"""Study accept_reject: tasks, solutions, controls and their balance."""
