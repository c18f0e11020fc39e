"""Results kept by content: what was computed once is never computed again."""

from xai_backend.store.tensor_store import TensorStore

__all__ = ["TensorStore"]
