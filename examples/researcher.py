"""For researchers: ground truth with its proof, exactly where it matters, and how far a policy is from it.

A script, and a notebook: VS Code, Spyder and Jupytext show the parts between `# %%` as cells.
"""

# %%
import numpy as np

from goofspiel import Answer, Objective, Position, open_tablebase
from goofspiel.batch import PositionBatch
from goofspiel.play import load_player, play_match, respond

CARDS = 5
start = Position.start(CARDS, 2)
tablebase = open_tablebase(CARDS)

# %% [markdown]
# ## A value, a mix, and why to believe them

# %%
answer = tablebase.probe(start)
assert isinstance(answer, Answer)  # an upcard is shown
print(f"value {answer.value:+.6f}, gap {answer.gap:.1e}, the only optimal mix: {answer.unique}")
print(f"every value of this table is within {tablebase.bound.value:.1e} of the true one")

# %% [markdown]
# ## The same in fractions

# %%
with open_tablebase(CARDS, exact=True) as exact:
    truth = exact.probe(start)
assert isinstance(truth, Answer)
digits = len(str(truth.mine[1].denominator))
print(f"bid 1: a fraction with a denominator of {digits} digits, about {float(truth.mine[1]):.12f}")
assert abs(answer.mine[1] - float(truth.mine[1])) < 1e-12

# %% [markdown]
# ## How exploitable is a policy?
# A softened one, for example: optimal, but uniform in one of ten rounds. A player takes many positions at a time.


# %%
class Softened:
    """Optimal nine times out of ten, and any card otherwise."""

    name = "softened"
    uses_lead = False

    def mixes(self, batch: PositionBatch) -> np.ndarray:
        """A probability for each card of each hand."""
        optimal = tablebase.solve_rounds(batch).mine
        return np.asarray(0.9 * optimal + 0.1 / optimal.shape[1])


policy = Softened()
best = respond(policy, CARDS)
print(f"{policy.name}: a best response gains {best.exploitability:.4f} points a game")
assert 0 < best.exploitability < respond(load_player("uniform", CARDS), CARDS).exploitability

# %% [markdown]
# ## And in play, with the luck taken out

# %%
result = play_match(best, policy, CARDS, games=2000, seed=1, control=[tablebase])
print(f"in 2,000 games: {result.points.mean:+.3f}, without luck {result.controlled[Objective.POINTS].mean:+.4f}")
assert np.isclose(result.controlled[Objective.POINTS].mean, best.value, atol=0.1)
tablebase.close()
