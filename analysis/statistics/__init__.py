"""Statistics that know no study."""
