"""Robots that predict a model."""
