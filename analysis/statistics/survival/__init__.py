"""Time to an event that is looked for in steps, and that some never reach.

`turnbull` for events known to lie between two values, `life_tables` for life tables over steps and
for the mean up to a common limit image by image, `hazards` for discrete-time mixed models.
"""
