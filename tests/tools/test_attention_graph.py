#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Reads the files of examples/attention_graph with the programs that they are for, as far as those are
installed: test_attention_graph.py EXAMPLE. Exits 77 after the checks if one of them is missing."""

import csv
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
from pathlib import Path

try:
    import networkx
except ImportError:
    networkx = None

NAMES = ['rain', 'river "Ems"', 'wind & sun', 'power']
SPACE = '{http://graphml.graphdrawing.org/xmlns}'
SVG = '{http://www.w3.org/2000/svg}'


def edges_of_csv(path):
    with path.open(encoding='utf-8', newline='') as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        assert row['SourceName'] == NAMES[int(row['Source'])], row
        assert row['TargetName'] == NAMES[int(row['Target'])], row
    return {(int(r['Source']), int(r['Target'])): float(r['Weight']) for r in rows}


def edges_of_graphml(path):
    graph = xml.parse(path).getroot().find(SPACE + 'graph')
    assert [n.findtext(SPACE + 'data') for n in graph.findall(SPACE + 'node')] == NAMES
    number = lambda e, end: int(e.get(end)[1:])
    return {
        (number(e, 'source'), number(e, 'target')): float(e.findtext(SPACE + 'data'))
        for e in graph.findall(SPACE + 'edge')
    }


# What the schema of GraphML 1.0 allows, as far as it is written here: attributes, the first of which must be
# there, and children, in this order.
SCHEMA = {
    'graphml': ([], ['key', 'graph']),
    'key': (['id', 'for', 'attr.name', 'attr.type'], []),
    'graph': (['edgedefault', 'id'], ['desc', 'node', 'edge']),
    'desc': ([], []),
    'node': (['id'], ['data']),
    'edge': (['source', 'target', 'id'], ['data']),
    'data': (['key', 'id'], []),
}
TYPES = {'boolean': lambda v: {'true': 1, 'false': 0}[v], 'int': int, 'long': int, 'float': float,
         'double': float, 'string': str}


def check_element(element):
    name = element.tag.removeprefix(SPACE)
    assert name != element.tag, element.tag
    attributes, children = SCHEMA[name]
    assert set(element.keys()) <= set(attributes) and (not attributes or element.get(attributes[0])), name
    order = [children.index(child.tag.removeprefix(SPACE)) for child in element]
    assert order == sorted(order), order
    for child in element:
        check_element(child)


def check_schema(path):
    """The rules of the schema, as strict readers such as Gephi's apply them, and what it leaves to words: ids
    are unique names, keys are declared for their elements, values are of their type, ends are nodes."""
    root = xml.parse(path).getroot()
    check_element(root)
    keys = {k.get('id'): k for k in root.findall(SPACE + 'key')}
    for key in keys.values():
        assert key.get('for') in ('node', 'edge') and key.get('attr.type') in TYPES and key.get('attr.name')
    graph = root.find(SPACE + 'graph')
    assert graph.get('edgedefault') in ('directed', 'undirected')
    ids = [e.get('id') for e in root.iter() if e.get('id')]
    assert len(set(ids)) == len(ids) and all(re.fullmatch(r'[\w.:-]+', i) for i in ids), ids
    nodes = {n.get('id') for n in graph.findall(SPACE + 'node')}
    for element in graph:
        data = element.findall(SPACE + 'data')
        assert len({d.get('key') for d in data}) == len(data), data
        for d in data:
            assert element.tag == SPACE + keys[d.get('key')].get('for'), d.get('key')
            TYPES[keys[d.get('key')].get('attr.type')](d.text or '')
        if element.tag == SPACE + 'edge':
            assert {element.get('source'), element.get('target')} <= nodes, element.attrib


def check_dot(path, edges):
    """Graphviz draws every node with its name, and every edge, without a warning."""
    done = subprocess.run(['dot', '-Tsvg', path], capture_output=True, check=False)
    assert done.returncode == 0 and not done.stderr, done.stderr
    groups = xml.fromstring(done.stdout).findall(f'.//{SVG}g')
    texts = [g.findtext(SVG + 'text') for g in groups if g.get('class') == 'node']
    assert sorted(texts) == sorted(NAMES), texts
    assert sum(g.get('class') == 'edge' for g in groups) == len(edges)


def check_networkx(path, edges):
    graph = networkx.read_graphml(path)
    assert [graph.nodes[f'n{i}']['label'] for i in range(len(NAMES))] == NAMES
    got = {(int(a[1:]), int(b[1:])): d['weight'] for a, b, d in graph.edges(data=True)}
    assert got == edges, got


def main():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.argv[1], folder], check=True, stdout=subprocess.DEVNULL)
        for power in 1, 2:
            path = lambda form, p=power: Path(folder) / f'attention_{p}.{form}'
            edges = edges_of_csv(path('csv'))
            assert len(edges) == 8 and edges == edges_of_graphml(path('graphml')), edges
            check_schema(path('graphml'))
            if shutil.which('dot'):
                check_dot(path('dot'), edges)
            if networkx:
                check_networkx(path('graphml'), edges)
    tools = (('dot of Graphviz', shutil.which('dot')), ('NetworkX', networkx))
    missing = [name for name, there in tools if not there]
    if missing:
        print('SKIP', ' and '.join(missing), 'not installed: these files were not read by them')
        sys.exit(77)


if __name__ == '__main__':
    main()
