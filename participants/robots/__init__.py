"""Parts that the robots of several studies share; each study's own lie in its folder."""
