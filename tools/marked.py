# SPDX-License-Identifier: BSD-3-Clause
"""Tables in Markdown, and made texts in pages, between the comments that mark their places."""
import pathlib

import record


def table(head, rows):
    """The lines of a table whose first column has names and whose others have numbers."""
    yield "| " + " | ".join(head) + " |"
    yield "|---|" + "---:|" * (len(head) - 1)
    for row in rows:
        yield "| " + " | ".join(row) + " |"
    yield ""


def write(path, name, lines):
    """Replaces what stands between <!-- NAME --> and <!-- /NAME -->; without these the text is the page."""
    path = pathlib.Path(path)
    begin, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
    text = "\n".join(lines) + "\n"
    page = path.read_text() if path.exists() else ""
    if begin in page and end in page:
        head, rest = page.split(begin, 1)
        text = head + begin + "\n" + text + "\n" + end + rest.split(end, 1)[1]
    record.replace(path, text)


def write_part(path, name, heading, lines):
    """Replaces the part under "#### HEADING" of what stands between the marks, or adds one there. Other parts
    stay. Without marks the text is the page."""
    begin, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
    page = pathlib.Path(path).read_text() if pathlib.Path(path).exists() else ""
    old = page.split(begin, 1)[1].split(end, 1)[0] if begin in page and end in page else ""
    first, *parts = ("\n" + old.strip("\n")).split("\n#### ")
    made = dict(part.split("\n", 1) for part in parts if "\n" in part)
    made[heading] = "\n" + "\n".join(lines)
    text = [first.strip("\n")] if first.strip("\n") else []
    text += [f"#### {title}\n\n" + body.strip("\n") for title, body in made.items()]
    write(path, name, "\n\n".join(text).split("\n"))
