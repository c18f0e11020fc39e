"""A folder of photographs and a network in, maps with overlays out."""
