"""Data folders of several PCs, merged into one."""
