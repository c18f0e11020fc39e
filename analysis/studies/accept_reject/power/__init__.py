"""Power: simulated studies by robots or by the mixed model itself."""
