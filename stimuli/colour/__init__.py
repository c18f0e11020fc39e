"""Cone excitations, colour spaces, displays and simulated colour-vision deficiency."""
