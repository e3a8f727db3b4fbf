# SPDX-License-Identifier: BSD-3-Clause
"""Settings of Sphinx for the site. tools/site.sh runs it in the folder that stage.py wrote."""

import os

project = 'fighter'
author = 'The fighter authors'
project_copyright = '2026, The fighter authors'
release = version = os.environ['FIGHTER_VERSION']

extensions = ['breathe', 'myst_parser']
root_doc = 'index'
myst_heading_anchors = 4
highlight_language = 'none'  # of indented blocks: commands and plain text
suppress_warnings = ['myst.header']  # the parts of docs/performance.md begin with ####
breathe_projects = {'fighter': os.environ['FIGHTER_XML']}
breathe_default_project = 'fighter'
breathe_domain_by_extension = {'h': 'c'}
breathe_show_include = False
c_id_attributes = ['FGT_API', 'FGT_MUST']

html_theme = 'furo'
html_title = f'fighter {release}'
html_static_path = ['_static']
html_css_files = ['site.css']
html_copy_source = False
html_show_sphinx = False
pygments_style = 'friendly'
pygments_dark_style = 'native'
