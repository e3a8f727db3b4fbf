# SPDX-License-Identifier: BSD-3-Clause
"""Sentences of the library in the words of Python: its options have fields in C, and parameters here."""

from __future__ import annotations

import csv
import re


def _of_read_csv(parameter: str) -> str:
    return f'`{parameter}` of pandas.read_csv()'


#: Options that are parameters of the same name.
PARAMETERS = frozenset(('exact', 'future', 'id', 'input_len', 'known', 'missing', 'non_negative', 'past', 'pred_len',
                        'round', 'time', 'value'))
#: Other options: the words that do the same in Python. {}: the value that the sentence gives.
WORDS = {
    'comment': _of_read_csv('comment={}'), 'date': 'data without the column of times',
    'decimal_comma': _of_read_csv('decimal=","'), 'decimal_point': _of_read_csv('decimal="."'),
    'delimiter': _of_read_csv('sep'), 'form': 'data without the column of times', 'horizon': '`h`',
    'layer_len': 'the parameter `layer_input`', 'marker': _of_read_csv('na_values'),
    'max_rows': _of_read_csv('nrows={}'), 'missing_text': _of_read_csv('na_values'),
    'no_header': _of_read_csv('header=None'), 'repair': 'the parameter repair=True', 'skip': _of_read_csv('skiprows={}'),
    'spreadsheet': _of_read_csv('thousands=","'), 'time_form': '`format` of pandas.to_datetime()',
    'units': _of_read_csv('skiprows=[1]'), 'zone': '`tz_localize()` of pandas'}

#: Functions of C that sentences name: the words that do the same in Python.
CALLS = {'call fgt_workspace_set_value() first': 'give `values`, or call set_value() first',
         'fgt_backward()': 'backward()', 'fgt_forward()': 'forward()', 'fgt_model_add_gradient()': 'add_gradient()',
         'fgt_value()': 'Value()', 'fgt_model_get_edges()': 'edges()', 'fgt_model_fit()': 'Model.fit()'}

_LONG = re.compile(r"the option `form` '?([^()]*?)'? \(id, time, value\)")
_OPTION = re.compile(r'(the options? )?`([a-z_]+)`'
                     r'(?: (\d+[a-z]*|"[^"]*"|order|repeats|gaps|none)(?!\w))?( of fgt_csv_opts)?')


def _name_columns(found: re.Match[str]) -> str:
    """Parameters for the columns of a long file, country,year,gdp."""
    names = next(csv.reader([found[1].replace('\n', ' ').replace('\r', ' ')]))
    given = [f'{p}={n!r}' for p, n in zip(('id', 'time', 'value'), names) if p != 'time' or n != 'auto']
    return f'the parameters {", ".join(given)}'


def _name_option(found: re.Match[str]) -> str:
    intro, name, value = found[1] or '', found[2], found[3]
    if name in PARAMETERS:
        if value:
            return f'the parameter {name}={value!r}'
        return f'{intro.replace("option", "parameter")}`{name}`'
    if name not in WORDS:
        return found[0]
    words = WORDS[name]
    return words.format(value) if value else words.replace('={}', '')


def in_python(sentence: str) -> str:
    """The sentence with parameters in place of options."""
    sentence = re.sub(r'^arrow: ', 'data: ', sentence)
    for call, words in CALLS.items():
        sentence = sentence.replace(call, words)
    return _OPTION.sub(_name_option, _LONG.sub(_name_columns, sentence))
