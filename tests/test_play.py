"""A person's game against a player: what is drawn, saved, resumed, taken back and shown; games through pipes."""

import json
import os
import re
import shutil
from collections import Counter
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from command import one_line, run, the_json
from rich.cells import cell_len
from terminal import only_file

from goofspiel.errors import GoofspielError, MissingTableError, PlayerError, PositionError, RecordError
from goofspiel.play import GameRecord, Round, Session, UniformPlayer, load_player
from goofspiel.play.dialogue import Dialogue, key_of, understood
from goofspiel.play.saved import load, new_file, save, unfinished
from goofspiel.play.screen import cost, outcome, percent, screen
from goofspiel.play.terminal import is_whole, keys_in
from goofspiel.play.transcript import game_json
from goofspiel.position import Position
from goofspiel.rules import Objective

UNIFORM = UniformPlayer()


@pytest.fixture(autouse=True)
def games(tmp_path, monkeypatch):
    """The folder that games are saved in."""
    folder = tmp_path / "games"
    monkeypatch.setenv("GOOFSPIEL_GAMES", str(folder))
    return folder


def begin(cards=5, seed=7, opponent=UNIFORM, **options):
    return Session.begin(cards, opponent, seed=seed, **options)


def lowest(session):
    return session.position.my_cards[0]


def to_the_end(session, choose=lowest):
    while not session.is_over:
        session = session.bid(choose(session))
    return session


def reread(session, opponent=UNIFORM):
    """As it comes back from a file."""
    return Session.resume(GameRecord.read(session.record.to_file()), opponent)


# what is drawn


def test_the_same_seed_is_the_same_game():
    assert to_the_end(begin()).record == to_the_end(begin()).record
    assert len({str(to_the_end(begin(9, seed)).record) for seed in range(50)}) == 50


def test_a_game_is_never_drawn_otherwise():
    """Games that were saved long ago go on as they would have: what follows from a seed may not change."""
    assert str(to_the_end(begin(6, 1)).record) == "6A6 223 532 445 A5A 364"


def test_their_bid_does_not_depend_on_mine():
    for seed in range(20):
        start = begin(6, seed)
        after = [start.bid(card) for card in start.position.my_cards]
        assert len({session.rounds[0].theirs for session in after}) == 1
        assert len({session.rounds[1].upcard for session in after}) == 1


class Spy(UniformPlayer):
    """Notes what it is shown."""

    def __init__(self):
        super().__init__()
        object.__setattr__(self, "seen", [])

    def mixes(self, asked):
        self.seen.extend(asked.position(which) for which in range(len(asked)))
        return super().mixes(asked)


def test_they_choose_before_i_do_and_see_only_the_position():
    spy = Spy()
    session = begin(4, opponent=spy)
    expected = []
    while not session.is_over:
        expected.append(session.position.swap())
        assert spy.seen == expected  # asked once a round, before my bid
        session = session.bid(lowest(session))
    assert spy.seen == expected


def test_upcards_and_bids_are_drawn_with_the_right_probabilities():
    count = 4000
    player = load_player("uniform,1=1*0.3+2*0.7,2=3,3=1*0.5+3*0.5", cards=3)
    firsts = [begin(3, seed, player).bid(1).rounds[0] for seed in range(count)]
    upcards = Counter(played.upcard for played in firsts)
    bids = Counter((played.upcard, played.theirs) for played in firsts)
    expected = {(1, 1): 0.3, (1, 2): 0.7, (2, 3): 1.0, (3, 1): 0.5, (3, 3): 0.5}
    assert set(bids) == set(expected)
    for upcard in (1, 2, 3):
        assert abs(upcards[upcard] - count / 3) < 5 * np.sqrt(count * 2 / 9)
    for (upcard, bid), share in expected.items():
        assert abs(bids[upcard, bid] - share * upcards[upcard]) <= 5 * np.sqrt(upcards[upcard] * share * (1 - share))


def test_chance_in_one_round_says_nothing_about_another():
    games = [to_the_end(begin(3, seed)).rounds for seed in range(3000)]
    orders = Counter(tuple(played.upcard for played in rounds) for rounds in games)
    theirs = Counter(tuple(played.theirs for played in rounds) for rounds in games)
    for found in (orders, theirs):
        assert len(found) == 6
        assert max(abs(number - 500) for number in found.values()) < 5 * np.sqrt(3000 * 5 / 36)


# the course of a game


def test_a_game():
    session = begin(3, 1, opponent=load_player("match", cards=3), theirs="match", date="2026-07-01 20:15:00")
    assert session.position == Position.start(3, session.rounds[0].upcard)
    first = session.rounds[0].upcard
    session = session.bid(first)  # they match the upcard: a tie
    assert session.points == (0, 0)
    assert [played.is_open for played in session.rounds] == [False, True]
    while not session.is_over:
        session = session.bid(session.position.my_cards[-1])
    assert session.position.is_over
    assert session.points[0] - session.points[1] == session.position.lead
    assert session.record.tags == {
        "mine": "human",
        "theirs": "match",
        "objective": "points",
        "seed": "1",
        "date": "2026-07-01 20:15:00",
    }
    with pytest.raises(PositionError):
        session.bid(1)


@pytest.mark.parametrize("card", [0, 6, -1])
def test_a_card_that_is_not_held_cannot_be_bid(card):
    with pytest.raises(PositionError, match="is not in my hand"):
        begin().bid(card)
    with pytest.raises(PositionError, match="is not in my hand"):
        begin().bid(3).bid(3)


@pytest.mark.parametrize("name", ["two\nlines", "two  spaces", " before", "bell\a", "\udcff"])
def test_a_name_that_a_record_cannot_hold_is_refused(name):
    with pytest.raises(PlayerError) as caught:
        begin(theirs=name)
    assert repr(name) in one_line(caught)


@pytest.mark.parametrize("name", ["bot.py:best # 1", "uniform,K=A", "C:\\bots\\é.py:f"])
def test_a_name_comes_back_from_a_record(name):
    assert reread(begin(theirs=name)).theirs == name


def test_a_resumed_game_goes_on_as_it_would_have(tablebase):
    opponent = load_player("optimal", cards=6)
    session = begin(6, 3, opponent, objective="win")
    whole = to_the_end(session).record
    while not session.is_over:
        again = reread(session, opponent)
        assert again == session
        assert to_the_end(again).record == whole
        session = session.bid(lowest(session))


def test_a_record_that_was_cut_before_an_upcard_goes_on_too():
    session = begin(5).bid(1)
    cut = GameRecord(5, session.played, session.record.tags)
    assert Session.resume(cut, UNIFORM) == session


def test_the_file_does_not_tell_their_bid():
    session = begin(5)
    assert session.record.to_file().splitlines()[-1] == str(session.rounds[0].upcard).replace("1", "A")


@pytest.mark.parametrize(
    ("tags", "said"),
    [
        ({"seed": None}, "'seed: …' with a whole number, not None"),
        ({"seed": "12a"}, "not '12a'"),
        ({"seed": "-3"}, "not '-3'"),
        ({"seed": "9" * 5000}, "'seed: …'"),
        ({"theirs": None}, "a line 'theirs: optimal'"),
        ({"objective": "fun"}, "not 'fun'"),
        ({"hints": "1 x"}, "'hints: …'"),
        ({"undone": ""}, "'undone: …'"),
    ],
)
def test_a_record_without_what_is_needed_is_not_resumed(tags, said):
    kept = {name: value for name, value in (begin().record.tags | tags).items() if value is not None}
    with pytest.raises(RecordError) as caught:
        Session.resume(GameRecord(5, (Round(2),), kept), UNIFORM)
    assert said in one_line(caught)


def test_a_game_that_is_over_is_not_resumed():
    with pytest.raises(RecordError, match="the game is over"):
        reread(to_the_end(begin()))


# taking back


def test_undo_goes_back_to_the_upcard_and_draws_the_rest_anew():
    changed = Counter()
    for seed in range(200):
        before = begin(6, seed).bid(2)
        after = before.bid(3)
        back = after.undo()
        assert (back.position, back.rounds, back.undone) == (before.position, before.rounds, 1)
        again = back.bid(3)
        changed["bid"] += again.rounds[1].theirs != after.rounds[1].theirs
        changed["upcard"] += again.rounds[2].upcard != after.rounds[2].upcard
        assert back.record.tags["undone"] == "1"
        assert reread(back) == back
        assert to_the_end(reread(back)).record == to_the_end(back).record
    assert abs(changed["bid"] - 160) < 30  # 1 in 5 draws the same card again
    assert abs(changed["upcard"] - 150) < 30


def test_undo_again_and_again():
    session = begin(5).bid(1).bid(2).undo().undo()
    assert (session.rounds, session.undone) == (begin(5).rounds, 2)
    with pytest.raises(RecordError, match="no round to take back"):
        session.undo()


# hints


def test_a_hint_is_the_answer_of_the_table(tablebase):
    session = begin(5).bid(3)
    answer, asked = session.hint(tablebase(5))
    assert answer == tablebase(5).probe(session.position)
    assert asked.hints == (2,)
    assert asked.hint(tablebase(5))[1] is asked  # once a round
    later = reread(asked).bid(2).hint(tablebase(5))[1]
    assert later.hints == (2, 3)
    assert later.record.tags["hints"] == "2 3"
    with pytest.raises(GoofspielError):
        to_the_end(later).hint(tablebase(5))


# what is understood


@pytest.mark.parametrize(
    ("words", "cards", "wish"),
    [
        ("A a 1 [1]", 9, 1),
        ("9 [9]", 9, 9),
        ("T t 0 10 [10]", 13, 10),
        ("Q q 12", 12, 12),
        ("K k 13", 13, 13),
        ("L l 14 [14]", 16, 14),
        ("N n 16", 16, 16),
        ("q x X quit exit \x04", 11, "quit"),
        ("x quit", 13, "quit"),
        ("h H hint", 13, "hint"),
        ("u undo", 13, "undo"),
        ("? help", 13, "help"),
        ("w 17 00 AA -1 é", 13, None),
    ],
)
def test_words(words, cards, wish):
    assert [understood(f"{word}\n", cards) for word in words.split(" ")] == [wish] * len(words.split(" "))
    assert understood("\n", cards) is None


def test_every_card_has_a_key_of_its_own():
    for cards in range(2, 17):
        assert [understood(key_of(card).lower(), cards) for card in range(1, cards + 1)] == list(range(1, cards + 1))


@pytest.mark.parametrize(
    ("typed", "keys", "whole"),
    [
        ("5", "5", True),
        ("5K", "5K", True),
        ("\x1b[A", "", True),  # an arrow
        ("\x1b[15~", "", True),  # a function key
        ("\x1b[1;5C7", "7", True),  # an arrow with Ctrl, and a card
        ("\x1bOA\x1bOB3", "3", True),
        ("\x1bk", "", True),  # Alt and a card
        ("4\x1b", "4", False),
        ("4\x1b[", "4", False),
        ("4\x1b[1;", "4", False),
        ("\x1bO", "", False),
        ("é", "é", True),
    ],
)
def test_keys_of_several_characters_are_no_cards(typed, keys, whole):
    assert "".join(keys_in(typed)) == keys
    assert is_whole(typed) is whole


# the dialogue


def dialogue(session=None, **options):
    saved = []
    game = Dialogue(
        session or begin(), options.pop("save", saved.append), options.pop("tablebase", no_table), **options
    )
    return game, saved


def no_table():
    raise MissingTableError("not solved: goofspiel solve 13")


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        ("6", "There is no 6 in a game of 5 cards."),
        ("k", "There is no K in a game of 5 cards."),
        ("z", "'z' is no card: press ? for help."),
        ("u", "A bid cannot be taken back, unless the game is started with --undo."),
        ("h", "No hint: not solved: goofspiel solve 13"),
    ],
)
def test_replies(said, reply):
    game, saved = dialogue()
    before = game.session
    game.say(said)
    assert (game.reply, game.session) == (reply, before)
    assert saved == [before.record]
    game.say("\n")
    assert game.reply == ""


def test_a_card_is_bid_once():
    game, saved = dialogue()
    game.say("3")
    game.say("3")
    assert game.reply == "You no longer hold the 3."
    assert saved == [begin().record, begin().bid(3).record]


def test_who_wants_to_quit_by_the_queen_is_told_how():
    game, _ = dialogue(begin(12))
    game.say("q")
    game.say("q")
    assert game.reply == "You no longer hold the Q. To quit, press x."
    assert not game.is_over


def test_undo_by_a_key():
    game, saved = dialogue(may_undo=True)
    game.say("u")
    assert game.reply == "There is no round to take back."
    game.say("3")
    game.say("u")
    assert game.session == begin().bid(3).undo()
    assert saved[-1] == game.session.record


def test_hints_by_a_key_and_unasked(tablebase):
    game, saved = dialogue(tablebase=lambda: tablebase(5))
    assert game.hint is None
    game.say("h")
    assert game.hint == tablebase(5).probe(game.session.position)
    assert saved[-1].tags["hints"] == "1"
    game.say("3")
    assert game.hint is None
    always, saved = dialogue(tablebase=lambda: tablebase(5), always_hint=True)
    for _ in range(5):
        always.say(key_of(lowest(always.session)))
    assert saved[-1].tags["hints"] == "1 2 3 4 5"
    assert always.is_over


def test_a_game_that_cannot_be_saved_goes_on_and_says_so(tmp_path):
    folder = tmp_path / "kept"
    path = folder / "game.txt"
    game, _ = dialogue(save=partial(save, path))
    assert load(path) == game.session.record
    shutil.rmtree(folder)
    folder.write_text("in the way")
    game.say("2")
    assert game.session == begin().bid(2)
    assert game.unsaved
    assert f"The game could not be saved: {game.unsaved}." in shown(game)
    assert game_json(game, path)["file"] is None
    folder.unlink()
    game.say("3")
    assert not game.unsaved
    assert load(path) == game.session.record


# files


def test_files_of_games(tmp_path, games):
    from datetime import datetime

    now = datetime(2026, 7, 1, 20, 15, 9)
    assert unfinished(games) is None
    paths = [new_file(games, now) for _ in range(3)]
    assert [path.name for path in paths] == [
        "2026-07-01-201509.txt",
        "2026-07-01-201509-2.txt",
        "2026-07-01-201509-3.txt",
    ]
    assert unfinished(games) is None  # nothing is in them yet
    save(paths[2], begin(5, 1).record)
    save(paths[0], to_the_end(begin(5, 2)).record)
    save(paths[1], begin(5, 3).record)
    for age, path in enumerate([paths[0], paths[2], paths[1]]):
        os.utime(path, (1000 - age, 1000 - age))
    assert unfinished(games) == paths[2]  # the one that was played last, over or not by its name
    assert load(paths[2]) == begin(5, 1).record
    assert sorted(games.iterdir()) == sorted(paths)  # nothing is left of writing


# the screen


def plain(lines):
    return [line.plain.rstrip() for line in lines]


def shown(game, width=79, height=24):
    return "\n".join(plain(screen(game, width, height)))


def scenes(cards, tablebase):
    """A game at several moments: at first, with a hint, later, with trouble, with the help page."""
    ask = {"tablebase": lambda: tablebase(cards)} if cards <= 9 else {}
    game, _ = dialogue(begin(cards, theirs="a player with quite a long name, longer than some terminals"), **ask)
    yield game
    game.say("h")
    yield game
    for card in range(cards, cards // 2, -1):
        game.say(key_of(card))
    yield game
    game.say("h")
    yield game
    game.say("x9")
    game.unsaved = "No space left on device"
    yield game
    game.say("?")
    yield game


@pytest.mark.parametrize("cards", [2, 5, 9, 13, 16])
@pytest.mark.parametrize("width", [12, 20, 39, 60, 79, 119])
def test_no_line_is_longer_than_the_screen_is_wide(cards, width, tablebase):
    for game in scenes(cards, tablebase):
        for height in (5, 12, 24, 50):
            lines = screen(game, width, height)
            assert len(lines) <= height
            assert max(cell_len(line) for line in plain(lines)) <= width


@pytest.mark.parametrize("cards", [2, 5, 9, 13, 16])
@pytest.mark.parametrize(("width", "height"), [(79, 24), (39, 24), (119, 50)])
def test_everything_is_on_the_screen(cards, width, height, tablebase):
    for game in scenes(cards, tablebase):
        text = " ".join(shown(game, width, height).split())
        if game.helping:
            assert "How to play" in text
            assert "quit" in text
            continue
        session = game.session
        mine, theirs = session.points
        assert f"you {mine} : {theirs} they" in text
        assert re.search(rf"round {len(session.rounds)}( of |/){cards}", text)
        for key in ("h hint", "? help", "x quit" if cards > 11 else "q quit"):
            assert key in text
        bids = " ".join(key_of(card) + (f"={card}" if card > 13 else "") for card in session.position.my_cards)
        assert f"Bid: {bids}" in text
        if session.played:
            assert outcome(session.played[-1]) in text
        if game.hint:
            assert "An optimal mix" in text
        if game.reply:
            assert game.reply in text


def test_nothing_moves_when_a_hint_appears(tablebase):
    for width, height in [(79, 24), (39, 24), (119, 40)]:
        game, _ = dialogue(begin(9).bid(4), tablebase=lambda: tablebase(9))
        without = plain(screen(game, width, height))
        game.say("h")
        hinted = plain(screen(game, width, height))
        assert len(hinted) == len(without)
        assert all(line == other for line, other in zip(without, hinted, strict=True) if line)
        assert hinted != without


def test_the_screen_in_the_documentation(tablebase):
    page = (Path(__file__).parent.parent / "docs/how-to/play.md").read_text(encoding="utf-8")
    session = begin(9, 2, load_player("optimal", cards=9), theirs="optimal")
    game, _ = dialogue(session, tablebase=lambda: tablebase(9))
    for key in "736h":
        game.say(key)
    assert page.partition("```text\n")[2].partition("```")[0].splitlines() == shown(game).splitlines()


def test_interchangeable_cards_are_marked(tablebase):
    session = Session.resume(GameRecord.read("cards: 5\ntheirs: uniform\nseed: 1\n\n135 224 5"), UNIFORM)
    game, _ = dialogue(session, tablebase=lambda: tablebase(5))
    game.say("h")
    assert game.hint.interchangeable == ((4, 5),)
    row = next(line for line in shown(game).splitlines() if line.startswith(" % mix"))
    assert re.fullmatch(r"\d+%|·", row[25:30].strip())  # below the 4
    assert row[30:].strip() == "="


@pytest.mark.parametrize(
    ("played", "words"),
    [
        (Round(13, 5, 3), "You bid 5, they bid 3: you win the K, 13 points."),
        (Round(1, 5, 12), "You bid 5, they bid Q: they win the A, 1 point."),
        (Round(14, 16, 16), "Both bid 16: nobody wins the 14."),
    ],
)
def test_a_round_in_words(played, words):
    assert outcome(played) == words


def test_numbers_of_hints():
    points, win = Objective.POINTS, Objective.WIN
    assert [cost(lost, points) for lost in (0, 1e-9, 0.004, 0.347, 9.999, 12.34, 99.99)] == [
        *("0", "0", "0.00", "0.35", "10.0", "12.3", "100")
    ]
    assert [cost(lost, points, width=3) for lost in (0.347, 1.26, 12.34)] == [".35", "1.3", "12"]
    assert [cost(lost, win) for lost in (1e-6, 0.0124, 0.7664, 1.5)] == ["0", ".012", ".766", "1.50"]
    assert [percent(share) for share in (0, 0.001, 0.005, 0.47, 0.999, 1)] == [
        "0%",
        "<1%",
        "<1%",
        "47%",
        "100%",
        "100%",
    ]


# through pipes


def play(*arguments, store, stdin="", **options):
    return run("play", *arguments, store=store, stdin=stdin, **options)


def test_a_game_through_a_pipe(tables, games):
    done = play("--cards", "4", "--seed", "2", "--opponent", "match", store=tables, stdin="9\n4\nh\n1\n?\n\n3\n2\n")
    assert (done.returncode, done.stderr) == (0, "")
    record = load(only_file(games))
    assert record.is_over
    assert [played.mine for played in record.rounds] == [4, 1, 3, 2]
    assert record.tags["hints"] == "2"
    out = done.stdout
    assert "There is no 9 in a game of 4 cards." in out
    assert "An optimal mix" in out
    assert "How to play" in out
    for played in record.rounds:
        assert outcome(played) in out
    mine = sum(played.upcard for played in record.rounds if played.mine > played.theirs)
    assert re.search(rf"You (win|lose), {mine} : \d+\.|A draw", out)
    assert "Luck" in out  # the review
    assert f"goofspiel review {only_file(games)}" in out


def test_the_same_by_optimal_play_without_the_review_table(tables, games):
    """Against another player no table is needed; a hint and the review say what is missing."""
    done = play(
        "--cards",
        "12",
        "--seed",
        "2",
        "--opponent",
        "uniform",
        store=tables,
        stdin="h\n" + "".join(f"{c}\n" for c in range(1, 13)),
    )
    assert done.returncode == 0
    assert "No hint: the points table of 12 cards is not solved" in done.stdout
    assert "No review: the points table of 12 cards is not solved" in done.stdout
    assert "goofspiel solve 12" in done.stdout
    assert load(only_file(games)).is_over


def test_json(tables, games):
    done = play("--cards", "4", "--seed", "2", "--json", "--undo", store=tables, stdin="4\nu\n3\nh\n2\n1\n4\n")
    found = json.loads(done.stdout)
    record = load(only_file(games))
    mine = sum(played.upcard for played in record.rounds if played.mine > played.theirs)
    theirs = sum(played.upcard for played in record.rounds if played.mine < played.theirs)
    assert found == {
        "cards": 4,
        "objective": "points",
        "opponent": "optimal",
        "seed": 2,
        "record": str(record),
        "over": True,
        "points": {"mine": mine, "theirs": theirs},
        "result": "win" if mine > theirs else "loss" if mine < theirs else "draw",
        "hints": [2],
        "undone": 1,
        "file": str(only_file(games)),
    }
    assert "Round 1 of 4" in done.stderr


def test_a_pipe_that_ends_early_leaves_the_game_to_be_resumed(tables, games):
    whole = play("--cards", "4", "--seed", "5", "--json", store=tables, stdin="1\n2\n3\n4\n")
    only_file(games).unlink()
    half = the_json(_call(play("--cards", "4", "--seed", "5", "--json", store=tables, stdin="1\n2\n")))
    assert (half["over"], half["result"]) == (False, None)
    assert len(half["record"].split()) == 3  # the last one open
    said = play("--resume", store=tables, stdin="q\n")
    assert "The game is saved, and goes on with: goofspiel play --resume" in said.stdout
    rest = the_json(_call(play("--resume", "--json", store=tables, stdin="3\n4\n")))
    assert rest["record"] == json.loads(whole.stdout)["record"]
    over = play("--resume", store=tables)
    assert (over.returncode, over.stdout) == (1, "")
    assert over.stderr == f"goofspiel: there is no unfinished game in {games}\n"
    named = play("--resume", str(only_file(games)), store=tables)
    assert named.returncode == 1
    assert named.stderr == f"goofspiel: {only_file(games)}: the game is over: goofspiel review {only_file(games)}\n"


def _call(done):
    return done.returncode, done.stdout, done.stderr


def test_a_game_elsewhere_says_how_it_goes_on(tables, tmp_path):
    folder = tmp_path / "a folder"
    done = play("--cards", "4", "--games", str(folder), store=tables, stdin="q\n")
    command = done.stdout.rpartition("goes on with: ")[2].strip()
    assert command == f"goofspiel play --resume '{only_file(folder)}'"


@pytest.mark.parametrize(
    ("rounds", "named"),
    [
        ("23A A22 2", "round 3, '2'"),
        ("23A 9", "round 2, '9'"),
        ("23A A2", "round 2: a round is upcard, my bid, their bid, or an upcard alone, not 'A2'"),
        ("23A A3Z", "round 2: unknown card 'Z'"),
    ],
)
def test_a_damaged_file_is_an_error_that_names_the_round(tables, games, rounds, named):
    games.mkdir()
    path = games / "game.txt"
    path.write_text(f"cards: 4\nmine: human\ntheirs: optimal\nseed: 3\n\n{rounds}\n")
    before = path.read_bytes()
    for arguments in (["--resume"], ["--resume", str(path)]):
        done = play(*arguments, store=tables, stdin="4\n")
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith(f"goofspiel: {path}: {named}")
        assert done.stderr.count("\n") == 1
    assert path.read_bytes() == before
    assert only_file(games) == path


def test_what_is_no_text_is_no_game(tables, games):
    games.mkdir()
    path = games / "game.txt"
    path.write_bytes(b"\xff\xfe\x00")
    done = play("--resume", store=tables)
    assert _call(done) == (1, "", f"goofspiel: {path}: this is no text\n")


def test_a_folder_that_cannot_be_written_stops_the_game_before_it_starts(tables, tmp_path):
    (tmp_path / "file").write_text("in the way")
    done = play("--cards", "4", "--games", str(tmp_path / "file" / "games"), store=tables, stdin="4\n")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    assert str(tmp_path / "file") in done.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--cards", "1"], 2, "number of cards must be 2 to 16, not '1'"),
        (["--cards", "17"], 2, "number of cards must be 2 to 16, not '17'"),
        (["--seed", "-1"], 2, "seed must be 0 to"),
        (["--resume", "--cards", "9"], 2, "--cards: not with --resume"),
        (["--resume", "--opponent", "match", "--seed", "3"], 2, "--opponent and --seed: not with --resume"),
        (["--resume", "nowhere.txt"], 1, "No such file or directory: nowhere.txt"),
        (["--opponent", "nobody"], 1, "no player is called 'nobody'"),
        (["--opponent", "human"], 1, "you play yourself"),
        (["--cards", "12"], 1, "goofspiel solve 12"),
        (["--cards", "12", "--objective", "win"], 1, "goofspiel solve 12 --objective win"),
    ],
)
def test_errors_are_one_line(call, games, arguments, code, said):
    found, out, err = call("play", *arguments)
    assert (found, out) == (code, "")
    assert said in err
    assert err.count("\n") == 1
    assert not games.exists()


def test_a_table_that_must_be_solved_first_is_announced(tmp_path):
    done = play("--cards", "3", "--objective", "win", store=tmp_path, stdin="q\n")
    assert done.stderr == "solving the game of 3 cards for win, once …\n"
    assert play("--cards", "3", "--objective", "win", store=tmp_path, stdin="q\n").stderr == ""


def test_a_player_that_fails_ends_the_game_in_one_line(tables, games, tmp_path):
    bot = tmp_path / "bot.py"
    bot.write_text("def bid(position):\n    return 1 if position.level == 3 else position.my_cards[9]\n")
    done = play("--cards", "3", "--opponent", f"{bot}:bid", store=tables, stdin="3\n2\n")
    assert done.returncode == 1
    assert "IndexError" in done.stderr
    assert done.stderr.count("\n") == 1
    bot.write_text("def bid(position):\n    return 1 if position.level == 3 else position.my_cards[0]\n")
    assert play("--resume", store=tables, stdin="3\n2\n1\n").returncode == 0
    assert load(only_file(games)).is_over


# a person in a match


def test_a_person_as_a_player(monkeypatch, capsys):
    from io import StringIO

    monkeypatch.setattr("sys.stdin", StringIO("9\nx\n4\n"))
    player = load_player("human", cards=5)
    assert player.name == "human"
    from goofspiel.questions import Questions

    asked = Questions.of([Position("24/A3/Q K 5")])
    assert player.mixes(asked).tolist() == [[0.0, 1.0]]
    out, err = capsys.readouterr()
    assert out == ""
    assert "Your lead is 5. The prize is K." in err
    assert err.count("bid? ") == 3
    with pytest.raises(PlayerError, match="there are no more bids to read"):
        player.mixes(asked)
