"""Tables of trials: reading them, checking them, naming them."""
