"""What an item of each study is."""
