"""What a person paints or marks by hand: acts, and the canvas that follows from them."""
