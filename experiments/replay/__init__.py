"""A session shown again from its journal, by the presenters and painters that showed it.

The session's plan runs once more on a stage without a window, whose clock is the journal's: pages
are left, keys pressed and frames shown when the journal says so.
"""
