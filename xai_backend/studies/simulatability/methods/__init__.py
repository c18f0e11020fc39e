"""Methods of explanation: one module a method, and what they share."""
