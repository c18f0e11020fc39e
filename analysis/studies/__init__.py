"""What each study reports."""
