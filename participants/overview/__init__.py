"""What a lab looks up of its people: one person, counts, who is due; and notes."""
