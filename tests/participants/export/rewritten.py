"""A journal with another word in place of one, and a chain that fits."""

import json

from participants.journal.storage import CHAIN, FIRST_LINK, line_text, link


def with_code(text, old, new):
    """Return a journal's bytes with a code or an id replaced, chained anew."""
    lines, chain = [], FIRST_LINK
    for each in text.replace(old, new).splitlines():
        line = {key: value for key, value in json.loads(each).items() if key != CHAIN}
        chain = link(chain, line)
        lines.append(line_text({**line, CHAIN: chain}))
    return b"".join(lines)
