"""People judge a classifier's labels, with one kind of help (Nguyen, Kim & Nguyen 2021)."""
