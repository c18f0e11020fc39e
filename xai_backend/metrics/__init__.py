"""What maps are worth by numbers: location, faithfulness, agreement, complexity.

Maps are float arrays (n, H, W); a metric gives one number a map, float64 (n,), NaN where it
isn't defined. Relevance is what is positive: what is negative counts as none.
"""
