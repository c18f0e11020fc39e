"""The expert's session in a window: plates are read, answered by key and painted."""
