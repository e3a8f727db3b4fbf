#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The pages of --report, in a browser: usage test_pages.py FORECAST CLASSIFY SERIES.py FOLDER

Chromium opens each page at two widths, light and dark. It must load without a word on the console; all
controls must change the pictures; names, labels and contrast are checked (test_pages.js). Screenshots stay in
FOLDER. Exit status 77 (skipped) without Chromium.
"""

import base64
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
DATA = r"(?<=id='data'>)(.*?)(?=</script>)"
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
    lines[0] = lines[0].replace('HULL', '"<!--<script>\u2028</script>"')
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
        self.refers, self.open, self.wrong, self.tables = [], [], [], 0

    def handle_starttag(self, tag, attrs):
        self.refers += [v for k, v in attrs if k in ('src', 'href', 'action', 'data') and v]
        self.wrong += [k for k, _ in attrs if k.startswith('on')] + ['img'] * (tag == 'img')
        self.tables += tag == 'table'
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
    """What stands in the file: nothing from outside, and tables without the script."""
    text = page.read_text(encoding='utf-8')
    check(f'{name}: size', len(text.encode()) < MOST, len(text))
    reader = Reader()
    reader.feed(text)
    check(f'{name}: refers to other files', all(r.startswith(('#', 'data:')) for r in reader.refers),
          reader.refers[:3])
    check(f'{name}: tags', not reader.open and not reader.wrong, (reader.open, reader.wrong[:5]))
    check(f'{name}: tables without a script', reader.tables > 8, reader.tables)
    return text


def test_sections(name, dom):
    """What the script has drawn, and in which order."""
    by = 'By sensitivity' if name in ('variate', 'text') else 'class="bars"'
    check(f'{name}: sensitivity', by in dom)
    hidden = re.search(r'<section id="importance"[^>]*hidden', dom)
    check(f'{name}: importance of tokens', (not hidden) == (name in ('patch', 'time', 'text')))
    check(f'{name}: matrices', ('class="edge"' in dom) == (name != 'linear'))
    if name == 'patch':
        places = [dom.find(what) for what in ('better than repeating a value?', 'Error by step',
                                              '80 % interval', 'Attention: which token')]
        check(f'{name}: how good it is comes first', -1 not in places and places == sorted(places), places)


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
        test_sections(name, dom)
        found = re.search(r'<pre id="findings">(.*?)</pre>', dom, re.S)
        check(f'{name}, {width} wide: the script ran', found, dom[:300])
        wrong = json.loads(html.unescape(found[1])) if found else []
        check(f'{name}, {width} wide', not wrong, wrong[:8])


def test_address(browser, name, page, text):
    """What an address chooses is shown from the start."""
    subjects = json.loads(re.search(DATA, text, re.S)[1])['subjects']
    if len(subjects) < 2:
        return
    dom = browser.run(name, page, '--dump-dom', choice='#subject=1')
    shown = re.search(r'id="shown"[^>]*>(.*?)</p>', dom, re.S)
    check(f'{name}: the address chooses', shown and html.unescape(shown[1]).startswith(subjects[1]['name']),
          shown and shown[1])


def window(**more):
    return {'window': 'load', 'begin': '', 'from': 'noon', 'band': '', 'subject': -1, 'row': -1, 'spans': [],
            'truth': [None] * len(more['forecast']), **more}


def test_drawing(browser, page, text):
    """Pictures of known numbers: a page with other data."""
    cells = [0, 255, 0, 0, 0, 255, 255, 0, 0]  # token 0 reads token 1, 1 reads 2, 2 reads 0
    few = [3, 4, 5, 6]
    data = {
        'hops': 1, 'layers': ['0'],
        'subjects': [{'name': '', 'count': 3, 'merged': 1, 'tokens': ['first', 'second', 'third']}],
        'sets': [{'subject': 0, 'layer': 0, 'epoch': 0, 'planes': 1, 'most': [1],
                  'cells': base64.b64encode(bytes(cells)).decode()}],
        'windows': [
            window(input=[1, None, 3], forecast=[2], truth=[2]),
            window(input=few, forecast=few, band='all', low=[1, 2, None, 4], high=[5, 6, 7, 8]),
            window(input=[1, 2, 3, 4, 5, 6], forecast=few, subject=0, spans=[0, 2, 1, 4, 3, 5]),
            window(input=[1e9, 1e9 + 1, 1e9 + 2.5], forecast=[1e9], measure='use', bar=2, bars=[3, 1]),
        ],
        'texts': [{'text': 'a', 'subject': 0, 'count': 2, 'words': ['x', 'y', 'x y'], 'measure': 'use',
                   'values': [0, 2, 1]}],
        'importance': [{'layer': '0', 'subject': 0}],
        'charts': [{'section': 'charts', 'title': 'Loss', 'axis': 'epoch', 'about': 'why',
                    'curves': [{'curve': 'training', 'x': [1, 2, 5], 'y': [1.5, 0.75, 0.5]}]}],
    }
    table = ('<details id="words-0"><table><thead><tr><th>place</th><th>word</th><th>use</th></tr></thead>'
             '<tbody>' + '<tr><td>1</td><td>x</td><td>0</td></tr>' * 3 + '</tbody></table></details>')
    copy = page.with_name('drawn.html')
    text = re.sub(DATA, lambda _: json.dumps(data), text, flags=re.S)
    copy.write_text(text.replace("<div id='notes'>", table + "<div id='notes'>"), encoding='utf-8')
    dom = browser.run('drawn', copy, '--dump-dom').split('<script type="application/json"')[0]
    once = [
        '<title>first reads second: 1</title>', '<title>third reads first: 1</title>',
        # a point by itself is a dash: a line of no length would not be painted
        'class="line past" d="M44.5 190h3M343.2 10h3"',
        # the gap of an area
        'class="band" d="M302 87.1L366 61.4L366 164.3L302 190ZM494 10L494 112.9Z"',
        'data-token="1" x="70.9" y="225"', '<title>second: 0.333</title>',
        '>1000000001<', 'class="bars" d="M', 'Tokens of several words: <span',
        'The forecast begins at noon.', 'It cannot be computed', '<h3>Loss</h3>', '<p>why</p>',
        '<td>x</td><td data-token="2">0.333</td><td>0</td>',
        '<title>training, 2: 0.75</title>', 'class="line c0" d="M52 10L126.5 130L350 170"',
        '<a href="#subject=0&amp;layer=0&amp;head=0&amp;hop=1&amp;epoch=0">',
    ]
    for what in once:
        most = 4 if what.startswith('The forecast') else 1
        check('drawn once', dom.count(what) == most, (what, dom.count(what)))
    squares = 'class="q8" d="M1 0h1v1h-1zM2 1h1v1h-1zM0 2h1v1h-1z"'  # of the large map and of a small one
    for what, count in (('class="edge"', 3), (squares, 2), ('class="span q', 3),
                        ('class="line truth" d="M492.5 100h3"', 1),
                        ('class="line guess" d="M492.5 100h3"', 1), ('<circle class="c0"', 3)):
        check('drawn', dom.count(what) == count, (what, dom.count(what)))


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
            test_browser(browser, name, page, text, script)
            test_address(browser, name, page, text)
            if name == 'patch':
                test_drawing(browser, page, text)
            for dark, width in ((False, 1280), (True, 400)):
                shot = kept / f'{name}-{"dark" if dark else "light"}-{width}.png'
                browser.run(name, page, *look(dark, width, 3000), f'--screenshot={shot}')
                check(f'{name}: screenshot', shot.exists() and shot.stat().st_size > 10000, shot)
    print(f'{failures} failures; screenshots in {kept}')
    return failures > 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
