"""How much a request may ask for, and how long it may take."""

from goofspiel.tablebase.outcomes import MOST_CARDS

MOST_BODY = 128 << 10  # bytes
MOST_TARGET = 8 << 10  # bytes of a path and its query
MOST_HEAD = 32 << 10  # bytes of a request line and its headers
MOST_POSITIONS = 1000  # of a batch
BATCHES_TOGETHER = 4  # that wait, and are answered side by side: others have their turn after them
LONGEST_POSITION = 256  # characters; all hands of 16 cards have fewer
LONGEST_RECORD = 512  # characters
LONGEST_RULES = 200  # characters; 16 prizes of three digits and their order have fewer
MOST_SEED = 2**53 - 1  # what a browser counts to

# Cards in a hand up to which P(win), P(draw), P(loss) are worked out: unasked, in a batch, when asked for.
OUTCOMES, OUTCOMES_IN_BATCH, OUTCOMES_ON_REQUEST = 6, 5, MOST_CARDS

SETTLED = 3  # cards in a hand up to which an exact endgame says whether a mix is unique, where the table cannot

# Answers without a table, one after the other: cells of the games of hands and prizes that follow, times the leads.
ALONE_WORK = 5_200_000_000  # 8 cards in a hand, to win, with ties carried over: some seconds of a core
ALONE_WORK_IN_BATCH = 60_000_000  # the same with 6, where many positions are asked at once
POINTS_WORK = 40  # a game for points, where leads are not told apart, takes as long as so many leads
POTS_WORK = 4  # times as many, where there are pots

# Rules that anybody may think up: what is solved for them is kept for a while, in a folder of the server's own.
MOST_SOLVE_SECONDS = 20.0  # of a core, for a table
SCRATCH_TABLE_BYTES = 128 << 20  # of a table
SCRATCH_BYTES = 512 << 20  # of all of them
SCRATCH_TABLES = 64
MOST_CARRIED_PRIZES = 9  # with ties carried over there may be 3 ** prizes states
MOST_FORECAST_CARDS = 13  # the same for prizes 1 to cards: above, counting them takes long

BODY_SECONDS = 10.0  # for a body to arrive
ANSWER_SECONDS = 30.0  # for an answer, a table that is solved for it included
RETRY_SECONDS = 2  # after which a client that was turned away may come again

FIRST_SECONDS = 5.0  # that a connection may be open before its first request begins
HEAD_SECONDS = 10.0  # for a request line and its headers to arrive
KEEP_ALIVE_SECONDS = 15  # that a connection may be open between two requests
WORK_SECONDS = 60.0  # from a head to the end of its answer, if the client is slow to take it
LINGER_SECONDS = 2.0  # in which a client that was refused reads why

MOST_CONNECTIONS = 512
CONNECTIONS_OF_ADDRESS = 64  # an IPv4 address, or an IPv6 network of 64 bits
CONNECTIONS_OF_PROXY = 448  # the same for one that speaks for many; 64 are left to others
SPARE_CONNECTIONS = 32  # besides, which are only told whether the server is alive
SPARE_DESCRIPTORS = 96  # besides: files of tables and of the page, connections that are just opened or closed
COMPLAINT_SECONDS = 60.0  # in which the same lack of resources is logged once

QUICK_THREADS = 1  # a second one would mostly wait for the interpreter that both share
BATCH_SECONDS = 0.01  # in which a thread answers questions before it hands over the answers
MOST_WAITING_QUICK = 256  # requests
MOST_WAITING_SLOW = 16

ANSWER_CACHE_BYTES = 8 << 20  # of finished answers, and of what they answer
MAX_AGE_SECONDS = 3600  # in which a client uses an answer again without a question; after that, the ETag decides
