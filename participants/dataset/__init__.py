"""Datasets: tables derived from journals, with one schema for writer, reader and docs."""
