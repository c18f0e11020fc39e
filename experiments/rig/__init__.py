"""The PC and its display: what was measured of them, and whether they are fit."""
