from hypothesis import given
from hypothesis import strategies as st

from participants.screening.trials import Arrangement, arranged
from stimuli.screening.d15 import CAPS

MOVES = st.lists(st.tuples(st.integers(1, CAPS), st.none() | st.integers(1, CAPS)), max_size=60)


@given(MOVES)
def test_no_cap_is_lost_or_doubled(moves):
    row = arranged(moves).row
    assert len(set(row)) == len(row)
    last = dict(moves)
    assert set(row) == {cap for cap, place in last.items() if place is not None}


@given(st.permutations(range(1, CAPS + 1)), st.integers(1, CAPS), st.integers(1, CAPS))
def test_a_cap_lies_where_it_was_put_and_the_others_keep_their_order(caps, cap, place):
    moved = Arrangement(tuple(caps)).moved(cap, place)
    assert moved.full
    assert moved.row[place - 1] == cap
    assert [c for c in moved.row if c != cap] == [c for c in caps if c != cap]


def test_a_place_beyond_the_end_is_the_end():
    assert arranged([(3, 15), (4, 15), (5, 1)]).row == (5, 3, 4)
