import numpy as np

from stimuli.maps.relevance import outlined


def test_a_contour_changes_only_the_pixels_that_it_covers():
    rng = np.random.Generator(np.random.PCG64(1))
    plate = rng.integers(0, 256, (50, 50, 3), dtype=np.uint8)
    contour = np.zeros((50, 50, 4), np.uint8)
    contour[20:30, 20:30] = (255, 255, 255, 255)
    shown = outlined(plate, contour)
    assert (shown[20:30, 20:30] == 255).all()
    shown[20:30, 20:30] = plate[20:30, 20:30]
    assert np.array_equal(shown, plate)
