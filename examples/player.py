"""For players: what did that game cost me, and what should I have bid?"""

from goofspiel import Position, open_tablebase
from goofspiel.play import GameRecord, review, review_text

# A game as it was written down: one round a word, the prize, my bid, their bid.
game = GameRecord.read("766 A21 534 457 245 613 372")

with open_tablebase(game.cards) as tablebase:
    found = review(game, tablebase)
    print(review_text(found))

    # The same question before a bid: an optimal mix, and what each card costs.
    answer = tablebase.probe(Position("A235/2346/A45 3"))
    print("\nI hold A 2 3 5, they hold 2 3 4 6, the 3 is up:")
    for card, probability in answer.mine.items():
        print(f"  bid {card}: {probability:6.1%} of the time, costs {answer.regret[card]:.2f} points")

assert found.worst is not None
assert found.result == game.position.lead
assert abs(found.draw_luck + found.bid_luck - found.cost + found.their_cost - found.result) < 1e-9
