"""Files, tables and versioned formats: what is read and written everywhere."""
