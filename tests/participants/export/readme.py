"""What a re-user reads of an export of robots' data."""

from pathlib import Path

import pytest

from participants.export.run import ExportRequest, export_bids
from participants.folder import DataFolder


def exported_readme(data: DataFolder, out: Path) -> str:
    """Export robots' data as BIDS, as from a lab without a registry; return the README."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PLAINSIGHT_LAB", str(data.root))
        done = export_bids(ExportRequest(out, data.root, purpose="robot"))
    return (done.out / "README.md").read_text(encoding="utf-8")
