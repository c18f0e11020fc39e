"""Methods side by side on the same photographs, before people see their maps."""
