"""Time to an event that is looked for in steps, and that some never reach.

`turnbull` for events known to lie between two values, `steps` for life tables over steps,
`restricted` for the mean up to a common limit image by image, `person_steps` and `hazards`
for discrete-time mixed models.
"""
