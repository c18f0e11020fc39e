"""Power: studies simulated from the discrete-time model, analysed as the real one will be."""
