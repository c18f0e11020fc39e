"""Exports: a data folder's sessions in the form of a public standard, for archives and others."""
