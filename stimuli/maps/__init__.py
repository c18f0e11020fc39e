"""Relevance maps, and what is drawn or revealed by them."""
