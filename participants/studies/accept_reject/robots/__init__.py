"""Robots of accept_reject: leads, and experts who paint."""
