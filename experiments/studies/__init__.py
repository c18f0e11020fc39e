"""Each study's session on a screen: shows and records what the pure logic plans."""
