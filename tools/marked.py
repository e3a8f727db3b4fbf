# SPDX-License-Identifier: BSD-3-Clause
"""Writes a made text into a page, between the comments that mark its place."""
import pathlib


def write(path, name, lines):
    """Replaces what stands between <!-- NAME --> and <!-- /NAME -->; without these the text is the page."""
    path = pathlib.Path(path)
    begin, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
    text = "\n".join(lines) + "\n"
    page = path.read_text() if path.exists() else ""
    if begin in page and end in page:
        head, rest = page.split(begin, 1)
        text = head + begin + "\n" + text + "\n" + end + rest.split(end, 1)[1]
    path.write_text(text)
