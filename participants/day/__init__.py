"""The page of the day: who is due, who came, how far a study is; never which arm anybody is in."""
