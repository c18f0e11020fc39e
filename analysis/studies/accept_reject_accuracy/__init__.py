"""What the assessment of accuracy reports: acc_L, and how certain labels are."""
