"""Power of accept_reject: simulated studies by robots or by the mixed model itself."""
