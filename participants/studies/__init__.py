"""The pure session logic of each study: what is shown in which order, how it is judged."""
