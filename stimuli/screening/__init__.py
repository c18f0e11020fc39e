"""What screening of colour vision shows: plates with a gap, and the caps of the D-15."""
