"""Who comes when, and on which PC: by code, in the registry, on paper and in a calendar file."""
