"""An example study that lies outside the suite: which of two things do you prefer?

``PLAINSIGHT_STUDIES=preferences``, with this package's parent folder in ``PYTHONPATH``, adds it to
every room. CONTRIBUTING walks through it.
"""
