"""What accept_reject reports."""

from analysis.studies.accept_reject.results import analyse_accept_reject
from analysis.studies.accept_reject.sentences import headline_sentences

__all__ = ["analyse_accept_reject", "headline_sentences"]
