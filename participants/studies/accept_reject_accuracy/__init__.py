"""Accuracy with a lead: what a lead goes through who judges the labels of images."""
