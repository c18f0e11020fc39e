"""What people are paid for their sessions, and what was paid."""
