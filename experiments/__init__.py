"""The screen: engine, screens and the studies' sessions; the only room that needs psychopy."""
