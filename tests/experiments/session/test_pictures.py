"""The order of a study's pictures, as an ethics board turns their pages."""

from experiments.session.pictures import _numbered_anew


def test_more_than_99_pictures_stay_in_the_order_of_the_session(tmp_path):
    """Names of two digits, and of three from the hundredth on, get three each."""
    for number in range(1, 113):
        (tmp_path / f"{number:02d}-page{number}.png").touch()
    kept = _numbered_anew(tmp_path)
    assert [path.name for path in kept] == sorted(path.name for path in tmp_path.iterdir())
    assert [path.stem for path in kept] == [f"{one:03d}-page{one}" for one in range(1, 113)]
