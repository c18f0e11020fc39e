"""Studies from a table on the screen: an item with its advice above its answers."""
