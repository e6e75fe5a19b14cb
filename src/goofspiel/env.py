"""Environments of PettingZoo and Gymnasium: the game for two learners, or for one against any player.

Actions are cards, counted from 0. Observations are numbers (see `GamesSideBySide.seen`) with a mask of the cards that
are held. Rewards are points won by the round, or what the end is worth where leads count; or minus the regret of the
bid. With a judge, `info` has the value, an optimal mix and, after a bid, its regret, all exact up to the table's bound.
"""

from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from goofspiel.errors import GoofspielError, OptionError
from goofspiel.interop.side_by_side import GamesSideBySide, Judged
from goofspiel.players.players import Player, card_at, checked_mixes, draw
from goofspiel.roster import load_player
from goofspiel.rules import Rules
from goofspiel.tablebase import Tablebase, open_tablebase

try:
    import gymnasium
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
    from pettingzoo import AECEnv, ParallelEnv
    from pettingzoo.utils import parallel_to_aec
except ImportError:
    raise GoofspielError("environments need the env extra: pip install 'goofspiel[env]'") from None

AGENTS = ("player_0", "player_1")
REWARDS = ("score", "regret")


def parallel_env(rules: Rules | int | str = 9, **options: Any) -> "GoofspielParallelEnv":
    """For two learners, who bid at the same moment: PettingZoo's `ParallelEnv`."""
    return GoofspielParallelEnv(rules, **options)


def aec_env(rules: Rules | int | str = 9, **options: Any) -> AECEnv[str, Any, Any]:
    """The same, one after the other, the second without seeing the first one's bid: PettingZoo's `AECEnv`."""
    return parallel_to_aec(GoofspielParallelEnv(rules, **options))


class _Common:
    """Games, spaces and what is told beside the rewards."""

    def __init__(
        self, rules: Rules | int | str, count: int, judge: bool, reward: str, store: Path | str | None
    ) -> None:
        if reward not in REWARDS:
            raise OptionError(f"reward must be {' or '.join(REWARDS)}, not {reward!r}")
        game = Rules.of(rules)
        self.judge: Tablebase | None = open_tablebase(game, store=store) if judge or reward == "regret" else None
        if self.judge:
            self.judge.require_all_levels()
        self.by_regret = reward == "regret"
        self.games = GamesSideBySide(game, count, judge=self.judge)
        self.judged: list[Judged | None] = [None, None]

    def space(self) -> spaces.Dict:
        """What one player of one game sees."""
        seen = spaces.Box(-1.0, 1.0, (self.games.features,), dtype=np.float32)
        mask = spaces.Box(0, 1, (self.games.rules.cards,), dtype=np.int8)
        return spaces.Dict({"observation": seen, "action_mask": mask})

    def observe(self, side: int) -> dict[str, Any]:
        """What a side sees of all games."""
        return {"observation": self.games.seen(side), "action_mask": self.games.legal(side)}

    def told(self, side: int) -> dict[str, Any]:
        """What the judge says of the positions of a side, which is remembered for its bids."""
        self.judged[side] = judged = self.games.judged(side)
        return {} if judged is None else {"value": judged.value, "mix": judged.mix}

    def regret(self, side: int, bid: Any) -> np.ndarray[Any, np.dtype[np.float64]] | None:
        """What bids have cost, if there is a judge."""
        judged = self.judged[side]
        return None if judged is None else judged.regret[np.arange(self.games.count), bid]


class GoofspielParallelEnv(ParallelEnv[str, dict[str, Any], int]):  # type: ignore[misc]
    """Two learners."""

    metadata: ClassVar[dict[str, Any]] = {"name": "goofspiel_v1", "render_modes": ["ansi"], "is_parallelizable": True}

    def __init__(
        self,
        rules: Rules | int | str = 9,
        *,
        judge: bool = False,
        reward: str = "score",
        store: Path | str | None = None,
        render_mode: str | None = None,
    ) -> None:
        """A game; with a judge, or rewards by regret, its table is opened, and a small one solved if it is missing."""
        self._common = _Common(rules, 1, judge, reward, store)
        self.rules, self.render_mode = self._common.games.rules, render_mode
        self.possible_agents: list[str] = list(AGENTS)
        self.agents: list[str] = []
        self._spaces = {agent: (self._common.space(), spaces.Discrete(self.rules.cards)) for agent in AGENTS}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """What an agent sees."""
        return self._spaces[agent][0]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Its cards."""
        return self._spaces[agent][1]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, Any]]]:
        """Begin a game."""
        self._common.games.reset(seed)
        self.agents = list(AGENTS)
        return self._seen(), {agent: self._told(side) for side, agent in enumerate(AGENTS)}

    def step(self, actions: dict[str, int]) -> Any:
        """Both bid."""
        if not self.agents:
            raise OptionError("the game is over: reset begins another")
        bids = [np.array([int(actions[agent])]) for agent in AGENTS]
        paid = [self._common.regret(side, bid) for side, bid in enumerate(bids)]
        step = self._common.games.step(*bids)
        rewards = {agent: float(step.reward[0]) * (1 - 2 * side) for side, agent in enumerate(AGENTS)}
        infos = {agent: self._told(side) for side, agent in enumerate(AGENTS)}
        for agent, regret in zip(AGENTS, paid, strict=True):
            if regret is not None:
                infos[agent]["regret"] = float(regret[0])
                rewards[agent] = -float(regret[0]) if self._common.by_regret else rewards[agent]
        ended, cut = dict.fromkeys(AGENTS, step.is_over), dict.fromkeys(AGENTS, False)
        self.agents = [] if step.is_over else self.agents
        return self._seen(), rewards, ended, cut, infos

    def render(self) -> str | None:
        """The position of the first player, in notation."""
        return str(self._common.games.batch.position(0)) if self.render_mode == "ansi" else None

    def _seen(self) -> dict[str, dict[str, Any]]:
        found = [self._common.observe(side) for side in range(2)]
        return {agent: {name: of[0] for name, of in seen.items()} for agent, seen in zip(AGENTS, found, strict=True)}

    def _told(self, side: int) -> dict[str, Any]:
        found = self._common.told(side)
        return {"value": float(found["value"][0]), "mix": found["mix"][0]} if found else {}


class _Opponent:
    """Who bids on the other side."""

    def __init__(self, player: Player | str, games: GamesSideBySide, store: Path | str | None) -> None:
        self._games = games
        self.player = load_player(player, games.rules, store=store) if isinstance(player, str) else player

    def bids(self) -> Any:
        """A card of each hand, drawn from the player's mixes."""
        batch = self._games.batch.swap()
        return card_at(batch.mine, draw(checked_mixes(self.player, batch), self._games.random())) - 1


class GoofspielVectorEnv(VectorEnv[dict[str, Any], Any, Any]):
    """One learner against a player, in many games at once; all end in the same step, and the next one begins anew."""

    metadata = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012 - as its class has it

    def __init__(
        self,
        rules: Rules | int | str = 9,
        num_envs: int = 256,
        *,
        opponent: Player | str = "uniform",
        judge: bool = False,
        reward: str = "score",
        store: Path | str | None = None,
    ) -> None:
        """So many games against a player, by its name or itself."""
        self._common = _Common(rules, num_envs, judge, reward, store)
        self.rules, self.num_envs, self.render_mode = self._common.games.rules, num_envs, None
        self._opponent = _Opponent(opponent, self._common.games, store)
        self.single_observation_space = self._common.space()
        self.single_action_space = spaces.Discrete(self.rules.cards)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._is_over = True

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin all games."""
        first = next((each for each in seed if each is not None), None) if isinstance(seed, list) else seed
        self._common.games.reset(first)
        self._is_over = False
        return self._common.observe(0), self._common.told(0)

    def step(self, actions: Any) -> tuple[dict[str, Any], Any, Any, Any, dict[str, Any]]:
        """A bid in every game; after the end, the beginning of the next."""
        nothing = np.zeros(self.num_envs, dtype=bool)
        if self._is_over:
            seen, info = self.reset()
            return seen, np.zeros(self.num_envs), nothing, nothing, info
        bids = np.asarray(actions)
        regret = self._common.regret(0, bids)
        step = self._common.games.step(bids, self._opponent.bids())
        info = self._common.told(0)
        reward = step.reward
        if regret is not None:
            info["regret"] = regret
            reward = -regret if self._common.by_regret else reward
        self._is_over = step.is_over
        return self._common.observe(0), reward, np.full(self.num_envs, step.is_over), nothing, info


class GoofspielEnv(gymnasium.Env[dict[str, Any], Any]):
    """One learner against a player, one game at a time."""

    metadata = {"render_modes": ["ansi"]}  # noqa: RUF012 - as its class has it

    def __init__(
        self,
        rules: Rules | int | str = 9,
        *,
        opponent: Player | str = "uniform",
        judge: bool = False,
        reward: str = "score",
        store: Path | str | None = None,
        render_mode: str | None = None,
    ) -> None:
        """A game against a player, by its name or itself."""
        self._one = GoofspielVectorEnv(rules, 1, opponent=opponent, judge=judge, reward=reward, store=store)
        self.rules, self.render_mode = self._one.rules, render_mode
        self.observation_space = self._one.single_observation_space
        self.action_space = self._one.single_action_space

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin a game."""
        super().reset(seed=seed)
        seen, info = self._one.reset(seed=seed)
        return _first(seen), _first(info)

    def step(self, action: Any) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """A bid."""
        if self._one._is_over:
            raise OptionError("the game is over: reset begins another")
        seen, reward, ended, cut, info = self._one.step(np.array([int(action)]))
        return _first(seen), float(reward[0]), bool(ended[0]), bool(cut[0]), _first(info)

    def render(self) -> Any:
        """The position, in notation."""
        return str(self._one._common.games.batch.position(0)) if self.render_mode == "ansi" else None


def _first(found: dict[str, Any]) -> dict[str, Any]:
    return {name: of[0] for name, of in found.items()}
