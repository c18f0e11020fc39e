"""Measured colours from the files of other programs, into the rig's profile and back."""

import json
import struct
from datetime import date

import numpy as np
import pytest
from PIL import ImageCms

from experiments.rig.colours.taking_over import read_measurement, take_over
from experiments.rig.profile import profile_path, read_rig
from participants.folder import LabFolder
from stimuli.colour.display import SRGB
from stimuli.colour.spaces import rgb_to_xyz_matrix, xyz_to_xy
from stimuli.errors import UserError
from tests.stimuli.colour.decoding import decode8

GUNS = {"red": (0.68, 0.31), "green": (0.26, 0.69), "blue": (0.15, 0.05)}
WHITE = (0.3127, 0.3290)
GAMMA = {"red": 2.1, "green": 2.2, "blue": 2.35}
TO_XYZ = rgb_to_xyz_matrix(list(GUNS.values()), WHITE)
DAY = "2026-11-02"
HEADER = "gun,code,x,y,luminance_cd_m2,measured_on,display\n"


def photometer(peak=200.0, black=0.3, white_gain=1.0):
    """Return the table of a display of known primaries and gamma, its black included."""
    dark = np.array([0.3, black, 0.4])
    patches = [("black", 0, np.zeros(3))]
    for place, gun in enumerate(GUNS):
        for code in (64, 128, 192, 255):
            share = np.zeros(3)
            share[place] = (code / 255) ** GAMMA[gun]
            patches.append((gun, code, share))
    patches.append(("white", 255, np.full(3, white_gain)))
    rows = []
    for gun, code, share in patches:
        xyz = peak * (TO_XYZ @ share) + dark
        x, y = xyz_to_xy(xyz)
        rows.append(f"{gun},{code},{x:.7f},{y:.7f},{xyz[1]:.5f},{DAY},EIZO\n")
    return HEADER + "".join(rows)


def monitor(**changed):
    nm = np.arange(380, 781, 5.0)
    spectra = [np.exp(-(((nm - peak) / 15) ** 2)) for peak in (620, 535, 455)]
    levels = np.linspace(0, 255, 9)
    exponents = [2.2, *GAMMA.values()]
    lights = [0.2 + 90 * (levels / 255) ** gamma for gamma in exponents]
    calibration = {
        "calibDate": 1793577600.0,
        "spectraNM": {"__ndarray__": nm.tolist(), "dtype": "float64", "shape": list(nm.shape)},
        "spectraRGB": np.array(spectra).tolist(),
        "levelsPre": levels.tolist(),
        "lumsPre": np.array(lights).tolist(),
    } | changed
    older = {"calibDate": 1.0}
    return json.dumps({"old": older, "new": calibration})


def icc(*, chad=True, trc=None):
    """Return a profile with the primaries above, brought to D50 by Bradford."""
    bradford = np.array(
        [[0.8951, 0.2664, -0.1614], [-0.7502, 1.7135, 0.0367], [0.0389, -0.0685, 1.0296]]
    )
    d50, white = np.array([0.9642, 1.0, 0.8249]), TO_XYZ.sum(axis=1)
    adapt = np.linalg.inv(bradford) @ np.diag(bradford @ d50 / (bradford @ white)) @ bradford
    adapted = adapt @ TO_XYZ

    def fixed(values):
        return b"".join(struct.pack(">i", round(float(v) * 65536)) for v in np.ravel(values))

    tags = {
        f"{sign}XYZ": b"XYZ \0\0\0\0" + fixed(adapted[:, place]) for place, sign in enumerate("rgb")
    }
    for sign, gamma in zip("rgb", GAMMA.values(), strict=True):
        curve = b"para\0\0\0\0" + struct.pack(">HH", 0, 0) + fixed([gamma])
        tags[f"{sign}TRC"] = curve if trc is None else trc
    tags["wtpt"] = b"XYZ \0\0\0\0" + fixed(d50 if chad else white)
    if chad:
        tags["chad"] = b"sf32\0\0\0\0" + fixed(adapt)
    head = bytearray(128)
    head[12:20], head[36:40] = b"mntrRGB ", b"acsp"
    at, table, body = 132 + 12 * len(tags), b"", b""
    for name, data in tags.items():
        table += name.encode() + struct.pack(">II", at + len(body), len(data))
        body += data
    return bytes(head) + struct.pack(">I", len(tags)) + table + body


def read(tmp_path, name, data, measured_on=None):
    (tmp_path / name).write_bytes(data if isinstance(data, bytes) else data.encode())
    return read_measurement(tmp_path / name, measured_on)


def assert_same(measurement):
    for gun, xy in {**GUNS, "white": WHITE}.items():
        assert measurement.chromaticities[gun] == pytest.approx(xy, abs=4e-4)
    assert measurement.gamma == pytest.approx(tuple(GAMMA.values()), abs=2e-3)


def test_a_photometers_table_gives_primaries_and_gamma_without_the_light_of_black(tmp_path):
    measurement = read(tmp_path, "eizo.csv", photometer())
    assert_same(measurement)
    assert (measurement.name, measurement.measured_on) == ("EIZO", date(2026, 11, 2))


@pytest.mark.parametrize("chad", [True, False])
def test_an_icc_profile_gives_them_as_they_are_not_as_under_d50(tmp_path, chad):
    assert_same(read(tmp_path, "eizo.icc", icc(chad=chad), DAY))


def test_lcms_own_srgb_profile_is_srgb(tmp_path):
    made = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    measurement = read(tmp_path, "srgb.icm", made, DAY)
    assert measurement.gamma is None
    for gun in ("red", "green", "blue", "white"):
        xy = measurement.chromaticities[gun]
        assert xy == pytest.approx(getattr(SRGB, f"{gun}_xy"), abs=1e-3)


@pytest.mark.parametrize(("kind", "terms"), [(1, (2.2, 1.0, 0.0)), (2, (2.2, 1.0, 0.0, 0.0))])
def test_a_parametric_curve_that_is_a_power_is_found(tmp_path, kind, terms):
    fixed = b"".join(struct.pack(">i", round(term * 65536)) for term in terms)
    trc = b"para\0\0\0\0" + struct.pack(">HH", kind, 0) + fixed
    assert read(tmp_path, "a.icc", icc(trc=trc), DAY).gamma == pytest.approx((2.2,) * 3, abs=2e-3)


def test_a_sampled_curve_that_is_a_power_is_found(tmp_path):
    light = np.round((np.arange(1024) / 1023) ** 1.8 * 65535).astype(">u2")
    trc = b"curv\0\0\0\0" + struct.pack(">I", 1024) + light.tobytes()
    assert read(tmp_path, "a.icc", icc(trc=trc), DAY).gamma == pytest.approx((1.8,) * 3, abs=2e-3)


def test_a_psychopy_monitor_gives_spectra_and_the_gamma_of_its_newest_calibration(tmp_path):
    measurement = read(tmp_path, "lab.json", monitor())
    assert measurement.gamma == pytest.approx(tuple(GAMMA.values()), abs=2e-3)
    assert measurement.spectra.radiance.shape == (81, 3)
    assert measurement.measured_on == date(2026, 11, 2)


@pytest.mark.slow
def test_a_monitor_that_psychopy_saved_is_read(tmp_path, monkeypatch):
    tools = pytest.importorskip("psychopy.monitors.calibTools")
    monkeypatch.setattr(tools, "monitorFolder", str(tmp_path))
    nm = np.arange(380, 781, 5.0)
    made = tools.Monitor("hall2", width=52, distance=57)
    made.setSpectra(nm, np.array([np.exp(-(((nm - p) / 15) ** 2)) for p in (620, 535, 455)]))
    made.setGammaGrid(np.array([[0.1, 90, g, 0, 0, 0] for g in (2.2, *GAMMA.values())]))
    made.setLineariseMethod(1)
    made.setCalibDate(1793577600.0)
    made.save()
    measurement = read_measurement(tmp_path / "hall2.json")
    assert measurement.gamma == pytest.approx(tuple(GAMMA.values()))
    assert measurement.spectra.wavelength_nm.tolist() == nm.tolist()


@pytest.mark.parametrize("name", ["eizo.csv", pytest.param("lab.json", marks=pytest.mark.slow)])
def test_the_rigs_profile_says_what_the_file_says(tmp_path, name):
    lab = LabFolder.make(tmp_path / "lab")
    path = profile_path(lab.rigs, lab.settings.rig)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text('schema = "rig/1.0"\n[geometry]\nwidth_cm = 52.0\ndistance_cm = 57.0\n')
    made = photometer() if name == "eizo.csv" else monitor()
    (tmp_path / name).write_text(made, encoding="utf-8")
    said = take_over(lab, tmp_path / name, DAY)
    assert DAY in said
    assert str(path) in said
    rig = read_rig(path)
    assert rig.geometry is not None
    assert rig.display is not None
    assert rig.display.measured_on == DAY
    assert rig.colours.calibrated
    assert rig.colours.gamma == pytest.approx(tuple(GAMMA.values()), abs=2e-3)
    assert (rig.colours.guns_lms is not None) == (name == "lab.json")
    assert decode8([255, 255, 255], rig.colours) == pytest.approx([1, 1, 1])


BAD = {
    "a.csv": [
        (photometer().replace("luminance_cd_m2", "Y"), "lacks column luminance_cd_m2"),
        (photometer().replace("red,128", "crimson,128"), "line 4: gun 'crimson' is none of"),
        (photometer().replace("red,128,", "red,128,wide"), "line 4: code, x, y"),
        (photometer().replace("white,255", "white,254"), "lacks white at code 255"),
        (photometer().replace("green,128", "green,200"), "green: the light follows no power"),
        (photometer().replace("blue,128", "white,128").replace("blue,64", "white,64"),
         "blue: needs at least three levels"),
        (photometer(white_gain=1.4), "add up to"),
        (photometer().replace(DAY, "yesterday"), "measured_on 'yesterday' must be a date"),
        (HEADER, "lacks column gun"),
        ("\0\0\xff", "lacks column gun"),
    ],
    "a.json": [
        ("{", "is no monitor file of PsychoPy"),
        ("[1, 2]", "it contains no calibration"),
        (monitor(spectraRGB=None), "holds no spectra of the guns"),
        (monitor(levelsPre=None), "holds no gamma of the guns"),
        (monitor(levelsPre=None, linearizeMethod=4, gammaGrid=[[0, 1, 2.2]] * 4),
         "linearizeMethod 4"),
        (monitor(spectraNM=list(range(450, 531))), "spans 450 to 530 nm"),
        (monitor(spectraNM="x"), "spectraNM must be numbers"),
    ],
    "a.icc": [
        (b"", "is no ICC profile"),
        (icc()[:200], "is cut short"),
        (icc().replace(b"mntr", b"prtr", 1), "is no profile of an RGB display"),
        (icc().replace(b"rXYZ", b"rABC", 1), "has no tag rXYZ"),
        (icc().replace(b"gTRC", b"gABC", 1), "has no tone curve gTRC"),
        (icc(trc=b"curv\0\0\0\0" + struct.pack(">I", 4096)), "TRC is cut short"),
        (icc(trc=b"curv\0\0\0\0" + struct.pack(">I4H", 4, 0, 60000, 61000, 65535)),
         "red: the light follows no power"),
    ],
    "a.txt": [("", "is none of .json")],
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "data", "said"), [(name, *case) for name, cases in BAD.items() for case in cases]
)
def test_a_file_that_can_not_be_used_is_one_clear_line(tmp_path, name, data, said):
    with pytest.raises(UserError) as caught:
        read(tmp_path, name, data, DAY)
    line = str(caught.value)
    assert said in line
    assert name in line
    assert "\n" not in line


@pytest.mark.parametrize(
    ("told", "said"),
    [(None, "add --measured-on"), ("soon", "must be a date"), ("2999-01-01", "in the future")],
)
def test_a_measurement_without_a_day_is_refused(tmp_path, told, said):
    with pytest.raises(UserError, match=said):
        read(tmp_path, "eizo.icc", icc(), told)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(UserError, match=r"gone\.csv: can't be read"):
        read_measurement(tmp_path / "gone.csv")
