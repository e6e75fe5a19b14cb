"""For players: what did that game cost me, and what should I have bid?

A script, and a notebook: VS Code, Spyder and Jupytext show the parts between `# %%` as cells.
"""

# %% [markdown]
# ## A game, reviewed
# Write a game down as you play it: one round a word, the prize, my bid, their bid. The review tells what each of my
# bids cost on average, and what was luck.

# %%
from goofspiel import Answer, Position, open_tablebase
from goofspiel.play import GameRecord, review, review_text

game = GameRecord.read("766 A21 534 457 245 613 372")
tablebase = open_tablebase(game.cards)  # up to nine cards it is solved here and now
found = review(game, tablebase)
print(review_text(found))

# %% [markdown]
# What the draw brought, what my bids gained against them, and chance add up to the result.

# %%
assert found.worst is not None
assert found.result == game.position.lead
assert abs(found.draw_luck + found.gain + found.chance - found.result) < 1e-9

# %% [markdown]
# ## The same question before a bid
# I hold A 2 3 5, they hold 2 3 4 6; the 3 is up, and A, 4 and 5 are still to come. How often should I bid each card,
# and what does it cost to bid another?

# %%
answer = tablebase.probe(Position("A235/2346/A45 3"))
assert isinstance(answer, Answer)  # an upcard is shown
for card, probability in answer.mine.items():
    print(f"bid {card}: {probability:6.1%} of the time, costs {answer.regret[card]:.2f} points")
tablebase.close()
