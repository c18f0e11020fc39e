"""People and their records: registry, journal, pure session logic, robots, tables."""
