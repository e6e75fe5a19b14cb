"""For researchers: ground truth with its proof, exactly where it matters, and how far a policy is from it."""

import numpy as np

from goofspiel import Position, open_tablebase
from goofspiel.play import ChoosingPlayer, load_player, play_match, respond

CARDS = 5
start = Position.start(CARDS, 2)

# A value, a mix, and why to believe them.
with open_tablebase(CARDS) as tablebase:
    answer = tablebase.probe(start)
    print(f"value {answer.value:+.6f}, gap {answer.gap:.1e}, the only optimal mix: {answer.unique}")
    print(f"every value of this table is within {tablebase.bound.value:.1e} of the true one")

# The same in fractions.
with open_tablebase(CARDS, exact=True) as exact:
    truth = exact.probe(start)
    digits = len(str(truth.mine[1].denominator))
    print(f"bid 1: a fraction with a denominator of {digits} digits, about {float(truth.mine[1]):.12f}")
assert abs(answer.mine[1] - float(truth.mine[1])) < 1e-12


# How exploitable is a policy? A softened one, for example: optimal, but uniform in one of ten rounds.
def softened(position: Position) -> dict[int, float]:
    """A mix of two players' mixes."""
    mine = tablebase.probe(position).mine
    return {card: 0.9 * p + 0.1 / position.level for card, p in mine.items()}


policy = ChoosingPlayer(softened, "softened", uses_lead=False)
best = respond(policy, cards=CARDS)
print(f"{policy.name}: a best response gains {best.exploitability:.4f} points a game")
assert 0 < best.exploitability < respond(load_player("uniform", cards=CARDS), cards=CARDS).exploitability

# And in play, with the luck taken out.
result = play_match(best, policy, cards=CARDS, games=2000, seed=1, control=[open_tablebase(CARDS)])
print(f"in 2,000 games: {result.points.mean:+.3f}, without luck {result.controlled['points'].mean:+.4f}")
assert np.isclose(result.controlled["points"].mean, best.value, atol=0.1)
