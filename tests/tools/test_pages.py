#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The pages of --report, in a browser: usage test_pages.py FORECAST CLASSIFY SERIES.py FOLDER

Chromium opens each page at two widths, light and dark. It must load without a word on the console; all
controls must change the pictures; names, labels and contrast are checked (test_pages.js). Screenshots stay in
FOLDER. Exit status 77 (skipped) without Chromium.
"""

import html.parser
import json
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

MOST = 2000000
WORDS = {'sport': 'match goal team coach season cup final referee',
         'market': 'shares oil profit bank price bonds',
         'science': 'telescope cell planet orbit genome fossil'}
failures = 0


def check(what, good, details=''):
    global failures
    if not good:
        failures += 1
        print(f'FAILED: {what}: {details}')


def write_texts(path, count, seed):
    """Texts of three classes, with names that would break a page that does not escape them."""
    draw = random.Random(seed)
    lines = ['label,text']
    for _ in range(count):
        kind = draw.choice(sorted(WORDS))
        text = ' '.join(draw.choice(WORDS[kind].split() + ['the', 'of', 'a']) for _ in range(12))
        lines.append(f'"</script><b>{kind}",{text}')
    path.write_text('\n'.join(lines) + '\n')


def make_pages(forecast, classify, series, folder):
    """The pages; their names."""
    rows = subprocess.run([sys.executable, series], capture_output=True, text=True, check=True).stdout
    lines = rows.splitlines()[:900]
    lines[0] = lines[0].replace('HUFL', '"</script><img src=x onerror=alert(1)>"')
    lines[0] = lines[0].replace('OT', 'Ötemp & \'x\'')
    (folder / 's.csv').write_text('\n'.join(lines) + '\n')
    write_texts(folder / 'train.csv', 300, 1)
    write_texts(folder / 'test.csv', 20, 2)
    judged = ['--data', 's.csv', '--input', '96', '--pred', '24', '--epochs', '2', '--dim', '8']
    common = [*judged, '--no-baselines']
    runs = {
        'patch': [forecast, *judged, '--layers', '2', '--hops', '3'],
        'time': [forecast, *common, '--tokens', 'time'],
        'variate': [forecast, *common, '--tokens', 'variate', '--model', 'transformer'],
        'linear': [forecast, *common, '--model', 'linear'],
        'text': [classify, '--train', 'train.csv', '--test', 'test.csv', '--dim', '8', '--max-tokens', '40'],
    }
    for name, command in runs.items():
        done = subprocess.run([*command, '--threads', '1', '--report', f'{name}.html'], cwd=folder,
                              capture_output=True, text=True)
        check(f'{name}: the program', done.returncode == 0, done.stderr)
    return list(runs)


class Reader(html.parser.HTMLParser):
    """What a page refers to, and which tags are open at its end."""
    VOID = {'meta', 'link', 'input', 'img', 'br', 'hr'}

    def __init__(self):
        super().__init__()
        self.refers, self.open, self.wrong, self.paths = [], [], [], 0

    def handle_starttag(self, tag, attrs):
        self.refers += [v for k, v in attrs if k in ('src', 'href', 'action', 'data') and v]
        self.wrong += [k for k, _ in attrs if k.startswith('on')] + ['img'] * (tag == 'img')
        self.paths += tag == 'path'
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f'</{tag}>')


def test_text(name, page):
    """What stands in the file: nothing from outside, and pictures without the script."""
    text = page.read_text(encoding='utf-8')
    check(f'{name}: size', len(text.encode()) < MOST, len(text))
    reader = Reader()
    reader.feed(text)
    check(f'{name}: refers to other files', all(r.startswith(('#', 'data:')) for r in reader.refers),
          reader.refers[:3])
    check(f'{name}: tags', not reader.open and not reader.wrong, (reader.open, reader.wrong[:5]))
    check(f'{name}: pictures without a script', reader.paths > 3, reader.paths)
    by = 'By sensitivity' if name in ('variate', 'text') else "class='bars'"
    check(f'{name}: sensitivity', by in text)
    check(f'{name}: importance of tokens', ('h-importance' in text) == (name in ('patch', 'time', 'text')))
    if name == 'patch':
        places = [text.find(what) for what in ('better than repeating a value?', 'Error by step',
                                               '80 % interval', 'Attention: which token')]
        check(f'{name}: how good it is comes first', -1 not in places and places == sorted(places), places)
    return text


class Browser:
    def __init__(self, program, profile):
        self.command = [program, '--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars',
                        '--disable-dev-shm-usage', f'--user-data-dir={profile}', '--enable-logging=stderr',
                        '--virtual-time-budget=2000']

    def run(self, name, page, *args, choice=''):
        done = subprocess.run([*self.command, *args, page.as_uri() + choice], capture_output=True, text=True,
                              timeout=120)
        words = [line for line in done.stderr.splitlines() if 'CONSOLE' in line]
        check(f'{name}: the console', not words, words[:3])
        return done.stdout


def look(dark, width, height):
    return [f'--blink-settings=preferredColorScheme={0 if dark else 1}', f'--window-size={width},{height}']


def test_browser(browser, name, page, text, script):
    copy = page.with_name(f'{name}-tested.html')
    copy.write_text(text.replace('</body>', f'<script>{script}</script></body>'), encoding='utf-8')
    for dark, width in ((False, 1280), (True, 500)):
        dom = browser.run(name, copy, *look(dark, width, 900), '--dump-dom')
        found = re.search(r'<pre id="findings">(.*?)</pre>', dom, re.S)
        check(f'{name}, {width} wide: the script ran', found, dom[:300])
        wrong = json.loads(html.unescape(found[1])) if found else []
        check(f'{name}, {width} wide', not wrong, wrong[:8])


def test_address(browser, name, page, text):
    """What an address chooses is shown from the start."""
    subjects = json.loads(re.search(r"id='data'>(.*?)</script>", text, re.S)[1])['subjects']
    if len(subjects) < 2:
        return
    dom = browser.run(name, page, '--dump-dom', choice='#subject=1')
    shown = re.search(r'id="shown"[^>]*>(.*?)</p>', dom, re.S)
    check(f'{name}: the address chooses', shown and html.unescape(shown[1]).startswith(subjects[1]['name']),
          shown and shown[1])


def main(forecast, classify, series, folder):
    program = next(filter(None, map(shutil.which, ('chromium', 'chromium-browser', 'google-chrome'))), None)
    if not program:
        print('SKIP: no chromium to open pages with')
        return 77
    kept = Path(folder).resolve()
    kept.mkdir(parents=True, exist_ok=True)
    script = Path(__file__).with_suffix('.js').read_text()
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        browser = Browser(program, work / 'profile')
        for name in make_pages(*map(Path.resolve, map(Path, (forecast, classify, series))), work):
            page = work / f'{name}.html'
            text = test_text(name, page)
            if "id='map'" in text:
                test_browser(browser, name, page, text, script)
                test_address(browser, name, page, text)
            for dark, width in ((False, 1280), (True, 400)):
                shot = kept / f'{name}-{"dark" if dark else "light"}-{width}.png'
                browser.run(name, page, *look(dark, width, 3000), f'--screenshot={shot}')
                check(f'{name}: screenshot', shot.exists() and shot.stat().st_size > 10000, shot)
    print(f'{failures} failures; screenshots in {kept}')
    return failures > 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
