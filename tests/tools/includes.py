#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Holds lib/ to its direction of dependencies: usage includes.py SOURCE_ROOT."""

import re
import sys
from pathlib import Path

# A module may include itself and what stands behind it here. A folder inside lib/NAME that is named here is a
# module of its own.
CORE = {'core', 'core/strings', 'core/vec'}
NN = {'nn', 'blas'} | CORE
MODEL = {'model', 'model/files', 'nn/basic', 'nn/ssm'} | NN
TRAIN = {'train', 'attent', 'ranks'} | MODEL
TABLES = {'data', 'data/time', 'data/csv', 'data/store'} | CORE
DATA = {'data/graph'} | TABLES
ALLOWED = {
    'core': set(),
    'core/strings': {'core'},
    'core/vec': {'core'},
    'blas': CORE,
    'nn': {'blas'} | CORE,
    'nn/basic': NN,
    'nn/graph': NN,
    'nn/attention': NN | {'nn/graph'},
    'nn/recurrent': NN,
    'nn/ssm': NN,
    'nn/vision': NN,
    'model/files': {'core'},
    'model': MODEL,
    'attent': {'core'},
    'ranks': CORE,
    'mpi': set(),
    'train': {'attent', 'ranks'} | MODEL,
    'analysis': TRAIN,
    'data/time': CORE,
    'data/csv': CORE,
    'data/store': {'data/time'} | CORE,
    'data': TABLES,
    'data/join': TABLES,
    'data/load': {'data/join'} | TABLES,
    'data/graph': {'nn', 'nn/graph'} | DATA,
    'data/arrow': {'data/join'} | DATA,
    'image': DATA,
    'text': DATA | {'model/files'},  # vocabularies are safetensors files
    'blocks': MODEL,
    'vision': TRAIN | DATA | {'blocks'},
    'classify': TRAIN | DATA | {'blocks', 'image', 'text', 'vision'},
    'forecast/linear': {'blas'} | CORE,
    'forecast/local': {'forecast/linear', 'blas'} | CORE,
    'forecast': TRAIN | DATA | {'blocks', 'forecast/linear', 'forecast/local'},
    'report': TRAIN | DATA | {'analysis', 'blocks', 'classify', 'forecast', 'text'},
}
# The library fighter, which may not use the folders of the library fighter-tasks.
ENGINE = TRAIN | {'nn/attention', 'nn/graph', 'nn/recurrent', 'nn/vision', 'analysis', 'blocks'}
# The lowest module that may include a public header; base.h is everybody's. model.h names the side inputs
# that layers take, so nn may see it.
PUBLIC = {
    'nn.h': 'nn', 'attention.h': 'nn', 'graph.h': 'nn', 'recurrent.h': 'nn', 'vision.h': 'nn',
    'model.h': 'nn', 'vit.h': 'vision', 'adapter.h': 'model', 'predictor.h': 'model',
    'layer.h': 'nn', 'train.h': 'train', 'attent.h': 'attent',
    'analysis.h': 'analysis', 'hops.h': 'analysis', 'ntk.h': 'analysis', 'sensitivity.h': 'analysis',
    'tracker.h': 'analysis', 'convert.h': 'model', 'table.h': 'data/time',
    'time.h': 'data/time', 'scaler.h': 'data', 'windows.h': 'data', 'graph_data.h': 'data/graph',
    'text.h': 'text', 'corpus_file.h': 'text', 'image.h': 'image', 'blocks.h': 'blocks',
    'forecast.h': 'forecast', 'forecast_options.h': 'forecast',
    'evaluate.h': 'forecast', 'local.h': 'forecast/local',
    'search.h': 'forecast', 'table_file.h': 'data', 'classify.h': 'classify',
    'collective.h': 'ranks', 'mpi.h': 'mpi', 'report.h': 'report',
    'options.h': 'blocks',
}


def module_of(path):
    """The longest folder of a path relative to lib/ that is a module."""
    folder = str(Path(path).parent)
    while folder not in ALLOWED and '/' in folder:
        folder = str(Path(folder).parent)
    return folder


IMPL = 'model/model_impl.h'


def knows_model(target, lib):
    """Whether a header defines struct fgt_model or includes one that does."""
    if not target.startswith('model/') or not (lib / target).exists():
        return False
    found = re.findall(r'^#include "(model/[^"]+)"', (lib / target).read_text(), re.M)
    return target == IMPL or any(knows_model(name, lib) for name in found)


INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def complaint(module, kind, target, lib):
    """What is wrong with this include, or None."""
    if target in ('blis.h', 'blis/blis.h', 'cblas.h'):
        return None if module == 'blas' else 'only lib/blas knows BLIS'
    if target.startswith('fighter/'):
        name = target.removeprefix('fighter/').removeprefix('experimental/')
        if kind != '<':
            return 'public headers are included with <>'
        if name in ('fighter.h', 'tasks.h'):
            return 'the umbrella headers are for users'
        owner = PUBLIC.get(name, module)
        return None if owner == module or owner in ALLOWED[module] else f'{module} may not use {owner}'
    if kind == '<':
        return None
    if module != 'model' and knows_model(target, lib):
        return 'only lib/model knows struct fgt_model'
    owner = module_of(target)
    if owner not in ALLOWED:
        return 'paths are relative to lib/: "module/file.h"'
    if owner != module and owner not in ALLOWED[module]:
        return f'{module} may not use {owner}'
    if not (lib / target).exists() and not (lib / f'{target}.in').exists():
        return 'no such file'
    return None


def main(root):
    lib = Path(root) / 'lib'
    bad = 0
    for module in sorted(ENGINE):
        for other in sorted(ALLOWED[module] - ENGINE):
            print(f'{module} is part of the engine and may not use {other} of the tasks')
            bad += 1
    for path in sorted(lib.rglob('*.[ch]')):
        module = module_of(path.relative_to(lib))
        if module not in ALLOWED:
            print(f'{path}: unknown module {module}')
            bad += 1
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = INCLUDE.match(line)
            wrong = match and complaint(module, match[1], match[2], lib)
            if wrong:
                print(f'{path}:{number}: {match[2]}: {wrong}')
                bad += 1
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1]))
