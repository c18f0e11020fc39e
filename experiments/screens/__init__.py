"""What people see: pure functions from content and screen size to pixels; no window here."""
