"""Robots that name what is uncovered, and robots that mark by bubbles."""
