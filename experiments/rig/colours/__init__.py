"""A display's measured colours, taken over from the files of other programs."""
