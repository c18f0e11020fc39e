"""Power of simulatability: studies drawn from a world of crossed effects, analysed as real ones."""
