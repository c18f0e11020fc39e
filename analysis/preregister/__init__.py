"""Preregistration: what a study will test and how, frozen before the data come."""
