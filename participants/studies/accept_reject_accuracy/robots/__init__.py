"""Robots that judge labels of images."""
