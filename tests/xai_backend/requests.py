"""Requests of `explain`, written flat."""

from dataclasses import fields

from xai_backend.explain.request import ExplainRequest, MethodOptions, PhotosRequest

HOW = {field.name for field in fields(MethodOptions)}


def explain_request(method, **given):
    """Return a request; each value goes where it belongs."""
    how = {name: given.pop(name) for name in HOW & given.keys()}
    return ExplainRequest(PhotosRequest(**given), method, MethodOptions(**how))
