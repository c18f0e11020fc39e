"""What a lab does when somebody takes their data back: find all of it, and remove it."""
