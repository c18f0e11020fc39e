"""Reports of these tests are written with the page's drawings alone, unless a test wants more.

PNG and PDF take three quarters of the time of a figure. Reports of three studies are written in
`every_format`.
"""

import pytest

from analysis.report import writer


@pytest.fixture(scope="module", autouse=True)
def drawings_of_the_page_alone():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writer, "FORMATS", ("svg",))
        yield
