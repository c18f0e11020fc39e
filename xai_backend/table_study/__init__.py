"""Studies from a table: their packs, with the maps of methods that the table names."""
