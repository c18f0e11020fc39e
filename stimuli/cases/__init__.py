"""What people judge: images, or texts in their place."""
