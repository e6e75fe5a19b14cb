"""Games on the terminal."""
