"""Study human_ai_team: what its analysis finds of worlds whose truth is known."""

from bench.book import Book
from bench.parts import team_means, team_worlds

BOOK = Book(
    name="human_ai_team",
    title="What the analysis of human_ai_team finds",
    intro=(
        "This page says what `analyse human_ai_team` finds in simulated studies whose truth is "
        "known. `python3 lab.py bench human_ai_team` measures it again. Answers are drawn from a "
        "world in which participants and images differ "
        "(`analysis/studies/human_ai_team/simulated.py`); its numbers are assumptions. By "
        "default the means decide (`analysis.primary_test`), and the report gives the mixed "
        "model’s estimates beside them."
    ),
    parts=(*team_worlds.PARTS, *team_means.PARTS),
    page="human_ai_team_truth",
)
