from analysis.studies.accept_reject.power.usefulness import Usefulness, grid_of


def test_e_brings_what_s_brings_unless_told_otherwise():
    assert list(grid_of((10,), (30,), (0.0, 0.1), None, 5).effects) == [
        Usefulness(0.0, 0.0),
        Usefulness(0.1, 0.1),
    ]
    assert grid_of((10,), (30,), (0.2,), 0.1, 5).effects == (Usefulness(0.2, 0.1),)


def test_an_effect_is_named_as_in_the_runs_that_are_kept():
    """Kept runs of earlier versions go on; a run is drawn by its cell's name too."""
    (cell,) = grid_of((10,), (30,), (0.2,), 0.05, 1).cells()
    assert cell.name == "10x30/S0.2/E0.05"
    assert cell.effect.columns() == {"effect": 0.2, "effect_expert": 0.05}
