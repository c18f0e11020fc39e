"""Assessment of accuracy: labelled images, whose labels a lead accepts or rejects."""
