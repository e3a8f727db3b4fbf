#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the bill of materials of a release as CycloneDX 1.6: the files of the release with their hashes, and
the libraries that a build found. The same input gives the same bytes.
usage: sbom.py BUILD VERSION SECONDS FILE... > BOM.json
  BUILD    a build folder of Meson with fighter-forecast
  SECONDS  since 1970: the time of the bill"""

import datetime
import hashlib
import json
import re
import subprocess
import sys
import uuid
from pathlib import Path

# Meson's name of a dependency: name, licence, scope, part that needs it
LIBRARIES = {
    'blis': ('blis', 'BSD-3-Clause', 'required', 'libfighter'),
    'kissfft-float': ('kissfft', 'BSD-3-Clause', 'optional', 'libfighter'),
    'zlib': ('zlib', 'Zlib', 'optional', 'libfighter-tasks'),
    'libutf8proc': ('utf8proc', 'MIT', 'optional', 'libfighter-tasks'),
    'libpng': ('libpng', 'libpng-2.0', 'optional', 'libfighter-tasks'),
    'libjpeg': ('libjpeg-turbo', 'IJG AND BSD-3-Clause AND Zlib', 'optional', 'libfighter-tasks'),
    'jansson': ('jansson', 'MIT', 'optional', 'programs'),
    'cairo': ('cairo', 'LGPL-2.1-only OR MPL-1.1', 'optional', 'plots of the programs'),
    'cmocka': ('cmocka', 'Apache-2.0', 'excluded', 'tests'),
}


def versions(build):
    """The version of each library of a build. Meson does not know the version of BLIS, the programs do."""
    shown = subprocess.run(['meson', 'introspect', '--dependencies', build], capture_output=True, text=True,
                           check=True).stdout
    found = {d['name']: d['version'] for d in json.loads(shown)}
    program = Path(build) / 'programs' / 'fighter-forecast'
    program = subprocess.run([program, '--version'], capture_output=True, text=True, check=True).stdout
    blis = re.search(r'products: blis (\d+(?:\.\d+)+)', program)
    return {**found, 'blis': blis[1]} if blis else found


def licence(expression):
    return [{'expression': expression} if ' ' in expression else {'license': {'id': expression}}]


def library(name, version):
    shown, terms, scope, part = LIBRARIES[name]
    purl = f'pkg:generic/{shown}@{version}'
    return {'type': 'library', 'bom-ref': purl, 'name': shown, 'version': version, 'scope': scope,
            'description': f'needed by: {part}', 'licenses': licence(terms), 'purl': purl}


def file(path):
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return {'type': 'file', 'bom-ref': path.name, 'name': path.name,
            'hashes': [{'alg': 'SHA-256', 'content': digest}]}


def bill(build, version, seconds, paths):
    found = versions(build)
    unknown = set(found) - set(LIBRARIES) - {'threads'}
    if unknown:
        sys.exit(f'sbom.py: a dependency has no line in LIBRARIES (got {", ".join(sorted(unknown))})')
    files = [file(path) for path in sorted(paths, key=lambda p: p.name)]
    libraries = [library(name, found[name]) for name in LIBRARIES if name in found]
    purl = f'pkg:generic/fighter@{version}'
    content = json.dumps([files, libraries], sort_keys=True)
    time = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    return {
        '$schema': 'http://cyclonedx.org/schema/bom-1.6.schema.json',
        'bomFormat': 'CycloneDX',
        'specVersion': '1.6',
        'serialNumber': f'urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, content)}',
        'version': 1,
        'metadata': {
            'timestamp': time.strftime('%Y-%m-%dT%H:%M:%SZ'),
            'component': {'type': 'library', 'bom-ref': purl, 'name': 'fighter', 'version': version,
                          'licenses': licence('BSD-3-Clause'), 'purl': purl},
        },
        'components': files + libraries,
        'dependencies': [{'ref': purl, 'dependsOn': [entry['bom-ref'] for entry in libraries
                                                     if entry['scope'] != 'excluded']}],
    }


def main(build, version, seconds, *names):
    json.dump(bill(build, version, int(seconds), [Path(name) for name in names]), sys.stdout, indent=2)
    print()


if __name__ == '__main__':
    main(*sys.argv[1:])
