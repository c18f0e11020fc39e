"""Robots that judge an AI's labels."""
