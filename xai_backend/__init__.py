"""Models, explanation methods and pack builders; the only room that needs torch."""
