"""Study accept_reject: what leads and experts go through, and what becomes of their answers."""
