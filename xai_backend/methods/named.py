"""One way to name a method everywhere: built in, captum's, or the user's own."""

from collections.abc import Sequence
from dataclasses import MISSING, fields
from typing import Any

from xai_backend.methods.gradcam import GradCam
from xai_backend.methods.method import Method
from xai_backend.methods.of_users import own_method, own_settings, registered_method
from xai_backend.methods.registry import METHODS, method_of
from xai_backend.methods.settings import CAPTUM, typed_settings
from xai_backend.own_code import names_own_python


def named_method(name: str, texts: Sequence[str] = ()) -> Method:
    """Return the method of a name that was typed.

    Parameters
    ----------
    name
        A built-in method, ``captum:NAME``, ``module:function``, or the name under which an
        installed package registers a function (entry points of the group
        ``plainsight.methods``).
    texts
        Its settings, NAME=VALUE.

    Raises
    ------
    UserError
        If there is no such method, or a setting is impossible.
    """
    if name in METHODS:
        return method_of(name, typed_settings(name, _usual(name), texts))
    if name.startswith(CAPTUM):
        from xai_backend.methods.of_captum import CaptumMethod, captum_settings

        attribution = name.removeprefix(CAPTUM)
        settings = typed_settings(name, captum_settings(attribution), texts)
        return CaptumMethod(attribution, tuple(sorted(settings.items())))
    function = name if names_own_python(name) else registered_method(name)
    if function is None:
        return method_of(name, {})  # which says what there is
    return own_method(function, typed_settings(name, own_settings(function), texts))


def layer_of(method: Method) -> str:
    """Return the layer of the network that a method was told to use; empty for its own choice."""
    if isinstance(method, GradCam):
        return method.layer
    settings = getattr(method, "settings", ()) if method.name.startswith(CAPTUM) else ()
    return dict(settings).get("layer", "")


def _usual(name: str) -> dict[str, Any]:
    return {
        field.name: field.default if field.default is not MISSING else None
        for field in fields(METHODS[name])
    }
