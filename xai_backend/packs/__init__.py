"""What builders of packs share."""
