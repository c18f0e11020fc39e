"""What a person paints or marks by hand."""
