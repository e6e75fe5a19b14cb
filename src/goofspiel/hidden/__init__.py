"""Hidden bids: after a round only its winner is known; policies over information sets, not tables of positions."""
