"""The registry's rows from journals, where the registry is empty or damaged."""
