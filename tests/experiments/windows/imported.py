"""What sessions import, but for PsychoPy, which looks for the display and for its preferences."""

import importlib
import pkgutil

import experiments.studies
import participants.studies

OTHERS = (
    "experiments.cli", "experiments.session.command", "experiments.screening.presenter",
    "fontTools.ttLib.tables._p_o_s_t", "scipy.ndimage", "sqlalchemy.dialects.sqlite",
)  # fmt: skip

for studies in (experiments.studies, participants.studies):
    for module in pkgutil.walk_packages(studies.__path__, f"{studies.__name__}."):
        importlib.import_module(module.name)
for name in OTHERS:
    importlib.import_module(name)
