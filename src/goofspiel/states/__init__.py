"""Where the value of a position stands: prize states, matchups, leads, and what follows a pair of bids."""
