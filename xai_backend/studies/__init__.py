"""How each study's pack is built, one folder a study."""
