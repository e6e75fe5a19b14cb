"""Games of players against each other, and of a person against a player."""
