"""What reviews say in words is true: games made for the sentences that would be false."""

from math import prod

import pytest
from answers import with_upcard
from fixtures import Tablebases, Win

from goofspiel.players.players import BidUpcardPlayer, OverridePlayer, Player, TablePlayer, UniformPlayer
from goofspiel.position import Position
from goofspiel.records.record import GameRecord, Round
from goofspiel.records.reviews import Review, is_settled, review
from goofspiel.render.reviews import in_words
from goofspiel.rules import Objective, Rules

ONE_MORE = "A2A 232 343 454 565 676 787 898 9A9"  # each bid of the prize's card is beaten by one: 36 to 9
SHUFFLED = "565 232 898 A2A 787 9A9 454 676 343"


def said(found: Review) -> str:
    return " ".join(in_words(found)).replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.parametrize("text", [ONE_MORE, SHUFFLED])
def test_who_beats_every_bid_by_one_was_not_lucky(tablebase: Tablebases, text: str) -> None:
    """The false case: against a player without any chance in its bids, +27 was called luck."""
    found = review(GameRecord.read(text), tablebase(9), theirs=BidUpcardPlayer())
    assert found.result == 27
    assert [reviewed.chance for reviewed in found.rounds] == pytest.approx([0] * 9, abs=1e-9)
    assert found.gain == pytest.approx(27 - found.draw_luck, abs=1e-9)
    assert found.gain > 25
    assert "How they bid is known: match." in said(found)
    assert "luck of the draw" in said(found)


def test_an_estimate_sees_most_of_it_and_says_what_it_is(tablebase: Tablebases) -> None:
    found = review(GameRecord.read(SHUFFLED), tablebase(9))
    assert not found.theirs.is_known
    assert found.theirs.shares[0][0] == "match"
    assert found.gain > 18
    assert found.draw_luck + found.gain + found.chance == pytest.approx(27)
    assert "How they bid is estimated" in said(found)
    assert "bids what the prize is worth" in said(found)


def test_a_round_is_not_judged_by_its_own_bid(tablebase: Tablebases) -> None:
    """Else whatever they bid would look foreseen: the estimate of a round is the same whatever was bid in it."""
    one, other = (GameRecord.read(f"A2A 232 34{bid}", cards=9) for bid in (3, 9))
    plays = [review(record, tablebase(9)).rounds[2].their_play for record in (one, other)]
    assert dict(plays[0]) == pytest.approx(dict(plays[1]))


def test_against_perfect_play_a_bid_gains_nothing(tablebase: Tablebases) -> None:
    table, record = tablebase(5), GameRecord(Rules(5))
    for upcard in (3, 2, 1, 4, 5):
        answer = with_upcard(table.probe(record.position.turn_up(upcard)))
        likeliest = max(answer.theirs, key=lambda card: answer.theirs[card])
        record = GameRecord(Rules(5), (*record.rounds, Round(upcard, answer.position.my_cards[-1], likeliest)))
    found = review(record, table, theirs=TablePlayer(table))
    assert found.theirs.is_known
    assert found.cost > 1
    assert found.gain == pytest.approx(-found.cost)


def test_a_player_who_never_bids_so_is_not_believed(tablebase: Tablebases) -> None:
    found = review(GameRecord.read("524 A5A 3A3 435 242"), tablebase(5), theirs=BidUpcardPlayer())
    assert not found.theirs.is_known
    assert "They are not match, who never bids the 4 in round 1. How they bid is estimated" in said(found)


def test_one_bid_tells_nothing(tablebase: Tablebases) -> None:
    assert "one bid tells nothing of it: the last two numbers are a mere guess" in said(
        review(GameRecord.read("524", cards=5), tablebase(5))
    )


def test_my_own_mixing_is_chance_where_my_mix_is_known(tablebase: Tablebases) -> None:
    """Uniform against uniform: all mixes are known, so of each round only what the mixes are worth is gained."""
    record = GameRecord.read(SHUFFLED)
    found = review(record, tablebase(9), mine=UniformPlayer(), theirs=UniformPlayer())
    assert "your mixes" in said(found)
    other = review(record, tablebase(9), theirs=UniformPlayer())
    for known, chosen in zip(found.rounds, other.rounds, strict=True):
        matrix = known.answer.matrix
        mean = sum(map(sum, matrix)) / len(matrix) ** 2
        assert known.gain == pytest.approx(mean - known.value, abs=1e-9)
        assert known.gain + known.chance == pytest.approx(chosen.gain + chosen.chance)


def test_the_lowest_card_nine_times_in_a_row(tablebase: Tablebases) -> None:
    """Where each of the bids is now and then right, nobody is told that all of it was: how rare a bid is, is said."""
    table = tablebase(9)
    record = GameRecord(Rules(9))
    for upcard in (9, 3, 1, 7, 6, 5, 2, 8, 4):
        lowest = record.position.my_cards[0]
        record = GameRecord(Rules(9), (*record.rounds, Round(upcard, lowest, record.position.their_cards[-1])))
    found = review(record, table)
    words = said(found)
    assert "nobody could have done better" not in words
    assert "among the best" not in words
    for reviewed in found.rounds[:-1]:
        assert reviewed.probability is not None
    rare = [reviewed.probability or 0.0 for reviewed in found.rounds]
    assert prod(rare) < 1e-4
    if not found.cost:
        assert "one game cannot tell whether you make them as often as you should" in words
        assert "A for the 9, a 2 % bid" in words
    else:
        assert "Against perfect play your most expensive bid" in words


def test_a_lost_endgame_is_called_settled_not_well_played(tablebase: Tablebases) -> None:
    """My A2 are beaten by their 45 whatever happens: after that nothing mattered."""
    record = GameRecord.read("54A 433 352 2A5 A24".replace("1", "A"))
    found = review(record, tablebase(5))
    after = [position for _, _, position in record.steps()]
    assert [is_settled(position, Rules(5)) for position in after[:-1]] == [False, False, True, True]
    assert found.settled_after == 3
    assert "The result was settled after round 3: nothing that was bid afterwards could change it." in said(found)
    for reviewed in found.rounds[3:]:
        assert (reviewed.cost, reviewed.gain, reviewed.chance, reviewed.draw_luck) == (0, 0, 0, 0)


def test_a_last_card_is_no_news(tablebase: Tablebases) -> None:
    assert review(GameRecord.read("222 AAA 333"), tablebase(3)).settled_after is None


def test_to_win_a_lead_out_of_reach_settles_it(win: Win, tablebase: Tablebases) -> None:
    record = GameRecord.read("554 443 3A5 232 A2A".replace("1", "A"))
    found = review(record, win(5))
    assert found.settled_after == 2
    for reviewed in found.rounds[2:]:
        assert reviewed.value_after == 1
        assert (reviewed.cost, reviewed.gain, reviewed.chance) == (0, 0, 0)
    points = review(record, tablebase(5))
    assert (points.won_after, points.settled_after) == (2, None)
    assert "Who wins was settled after round 2: from then on only the margin was at stake." in said(points)


def all_results(position: Position, rules: Rules) -> set[float]:
    """Every result that a position can come to."""
    if rules.is_over(position.level):
        return {float(rules.at_the_end(position.lead))}
    found: set[float] = set()
    upcards = position.deck[:1] if rules.order is not None else sorted(set(position.deck))
    for upcard in upcards:
        shown = position.turn_up(upcard)
        for mine in shown.my_cards:
            for theirs in shown.their_cards:
                found |= all_results(shown.play(mine, theirs, carry=rules.has_pots), rules)
    return found


@pytest.mark.parametrize(
    "rules",
    [
        "4",
        "4 win",
        "4 carry",
        "4 win carry",
        "4 order=descending",
        "4 win order=descending",
        "4 rounds=2",
        "4 win rounds=2",
    ],
)
def test_settled_means_that_one_result_is_left(rules: str) -> None:
    """By looking at everything that can happen; with leads as they come up."""
    game = Rules.of(rules)
    seen = 0

    def look(position: Position) -> None:
        nonlocal seen
        if position.level < 2 or game.is_over(position.level):
            return
        if is_settled(position, game):
            seen += 1
            assert len(all_results(position, game)) == 1, str(position)
        upcards = position.deck[:1] if game.order is not None else position.deck
        for upcard in upcards:
            shown = position.turn_up(upcard)
            for mine in shown.my_cards:
                for theirs in shown.their_cards[::2]:
                    look(shown.play(mine, theirs, carry=game.has_pots))

    look(Position.start(game))
    assert seen or "rounds" in rules


@pytest.mark.parametrize("objective", Objective)
def test_the_parts_add_up_against_anybody(tablebase: Tablebases, objective: Objective) -> None:
    table = tablebase(9, objective=objective) if objective == Objective.POINTS else tablebase(7, objective=objective)
    text = SHUFFLED if objective == Objective.POINTS else "565 232 7A7 A2A 676 454 343"
    players: list[Player | None] = [None, BidUpcardPlayer(), UniformPlayer()]
    players.append(OverridePlayer(UniformPlayer(), {5: {5: 1.0}}, "uniform,5=5"))
    for player in players:
        found = review(GameRecord.read(text), table, theirs=player)
        assert found.draw_luck + found.gain + found.chance == pytest.approx(found.value, abs=1e-9)
        assert found.theirs.is_known == (player is not None)
