"""What can be shown: protocols, packs, maps, colour, plates, digits."""
