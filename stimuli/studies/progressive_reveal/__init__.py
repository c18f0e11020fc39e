"""Images that are uncovered in the order of an explanation, and their classes' names."""
