"""Results kept by content: what was computed once is never computed again."""

from xai_backend.store.tensor_store import TensorStore, opened_store

__all__ = ["TensorStore", "opened_store"]
