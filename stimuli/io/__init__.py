"""Files, tables and hashes: what is read and written everywhere."""
