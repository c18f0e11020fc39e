"""Reports: parts, figures, template, writer."""
