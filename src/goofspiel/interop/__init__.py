"""Other people's software for games: policies, bots and states to and fro."""
