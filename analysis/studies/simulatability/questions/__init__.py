"""What is asked of the data of simulatability."""
