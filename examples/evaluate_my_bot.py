"""From a bot of your own to its exploitability, and to its win rate against perfect play."""

from goofspiel import Position, open_tablebase
from goofspiel.play import ChoosingPlayer, load_player, match_text, play_match, respond

CARDS = 6


def bid(position: Position) -> int:
    """One above the upcard when that is worth it, else the lowest card."""
    higher = [card for card in position.my_cards if card > position.upcard]
    return higher[0] if higher and position.upcard > 2 else position.my_cards[0]


bot = ChoosingPlayer(bid, "my bot", uses_lead=False)
best = respond(bot, cards=CARDS)
print(f"the best opponent gains {best.value:.2f} points a game from it")

result = play_match(
    bot, load_player("optimal", cards=CARDS), cards=CARDS, games=10_000, seed=1, control=[open_tablebase(CARDS)]
)
print(match_text(result))

assert best.value > 0
assert result.controlled["points"].high < 0, "nobody gains from perfect play"
