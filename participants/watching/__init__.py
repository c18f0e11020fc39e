"""The view of a running session, from outside: how far it is, never what is answered."""
