"""The experimenter's checklist before plates are shown: asked, read from a file, recorded."""
