"""The documentation as a site: its pages are the Markdown files of this folder."""
