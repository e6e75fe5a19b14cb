"""From a bot of your own to its exploitability, and to its result against perfect play.

A script, and a notebook: VS Code, Spyder and Jupytext show the parts between `# %%` as cells.
"""

# %% [markdown]
# ## The bot
# A function: a position in, a bid out. It sees the position from its own side, and never the other's bid. Put your own
# here.

# %%
from goofspiel import Objective, Position, open_tablebase
from goofspiel.play import FunctionPlayer, load_player, match_text, play_match, respond

CARDS = 6


def bid(position: Position) -> int:
    """One above the upcard when that is worth it, else the lowest card."""
    higher = [card for card in position.my_cards if card > position.upcard]
    return higher[0] if higher and position.upcard > 2 else position.my_cards[0]


bot = FunctionPlayer(bid, "my bot", uses_lead=False)

# %% [markdown]
# ## What the best possible opponent gains from it
# That opponent knows how the bot bids.

# %%
best = respond(bot, CARDS)
print(f"the best opponent gains {best.value:.2f} points a game from it")
assert best.value > 0

# %% [markdown]
# ## How it does against perfect play
# Which does not know the bot, and does not look for its weaknesses.

# %%
with open_tablebase(CARDS) as tablebase:
    optimal = load_player("optimal", CARDS)
    result = play_match(bot, optimal, CARDS, games=10_000, seed=1, control=[tablebase])
print(match_text(result))
assert result.controlled[Objective.POINTS].high < 0, "nobody gains from perfect play"
