"""Study progressive_reveal on a screen: rounds in which an image is uncovered and named."""
