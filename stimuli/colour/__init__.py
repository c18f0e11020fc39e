"""Cone excitations, colour spaces and displays."""
