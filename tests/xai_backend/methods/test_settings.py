from xai_backend.methods.method import typed_settings


def test_typed_settings_are_of_their_kind():
    usual = {"areas": (0.5,), "iterations": 800, "noise": 0.15, "absolute": True, "layer": ""}
    typed = ["areas=[0.1, 0.2]", "iterations=9", "noise=1", "absolute=false", "layer=features.9"]
    settings = typed_settings("some", usual, typed)
    wanted = {
        "areas": (0.1, 0.2),
        "iterations": 9,
        "noise": 1.0,
        "absolute": False,
        "layer": "features.9",
    }
    assert settings == wanted
    assert [type(value) for value in settings.values()] == [type(v) for v in wanted.values()]
    anything = typed_settings("some", {"of": None}, ["of=[1, 2]"])
    assert anything == {"of": (1, 2)}
