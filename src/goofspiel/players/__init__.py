"""Anything that bids."""
