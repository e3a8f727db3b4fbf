# SPDX-License-Identifier: BSD-3-Clause
"""The libraries for Conan 2, built from the source archive or checkout in which this file is:
conan create packaging/conan. docs/packages.md has the options."""

import re
from pathlib import Path

from conan import ConanFile
from conan.tools.files import copy, load, rmdir
from conan.tools.gnu import PkgConfigDeps
from conan.tools.layout import basic_layout
from conan.tools.meson import Meson, MesonToolchain

required_conan_version = '>=2.4'

# Meson's options, and the package and the library that each needs.
OPTIONAL = {
    'zlib': ('zlib/[>=1.2.11 <2]', 'z'),
    'png': ('libpng/[>=1.6 <2]', 'png'),
    'jpeg': ('libjpeg/[>=9]', 'jpeg'),
    'text': ('utf8proc/[>=2.5]', 'utf8proc'),
    'fft': ('kissfft/[>=131]', 'kissfft-float'),
}


class Fighter(ConanFile):
    name = 'fighter'
    description = 'Sequence models on the CPU: forecasts, classifiers, training inside a program'
    license = 'BSD-3-Clause'
    topics = ('machine-learning', 'forecasting', 'time-series', 'attention')
    package_type = 'library'
    languages = ['C']
    implements = ['auto_shared_fpic']
    settings = 'os', 'arch', 'compiler', 'build_type'
    options = {
        'shared': [True, False],
        'fPIC': [True, False],
        'blas': ['blis', 'ref'],
        **{name: [True, False] for name in OPTIONAL},
    }
    default_options = {
        'shared': False,
        'fPIC': True,
        'blas': 'blis',
        **{name: True for name in OPTIONAL},
    }

    def _root(self):
        return Path(self.recipe_folder).parents[1]

    def _wanted(self):
        return [name for name in OPTIONAL if getattr(self.options, name)]

    def set_version(self):
        self.version = re.search(r"version: '([\d.]+)'", load(self, self._root() / 'meson.build'))[1]

    def export_sources(self):
        for pattern in ('meson.build', 'meson_options.txt', 'docs/meson.build', 'COPYING', 'include/*',
                        'lib/*'):
            copy(self, pattern, self._root(), self.export_sources_folder)

    def requirements(self):
        for name in self._wanted():
            self.requires(OPTIONAL[name][0])

    def build_requirements(self):
        self.tool_requires('meson/[>=1.0 <2]')

    def layout(self):
        basic_layout(self)

    def generate(self):
        PkgConfigDeps(self).generate()
        toolchain = MesonToolchain(self)
        toolchain.project_options['auto_features'] = 'disabled'
        toolchain.project_options['blas'] = str(self.options.blas)
        for name in self._wanted():
            toolchain.project_options[name] = 'enabled'
        toolchain.generate()

    def build(self):
        meson = Meson(self)
        meson.configure()
        meson.build()

    def package(self):
        Meson(self).install()
        copy(self, 'COPYING', self.source_folder, Path(self.package_folder) / 'licenses')
        # Conan writes these for its own packages.
        for folder in ('lib/cmake', 'lib/pkgconfig', 'share'):
            rmdir(self, Path(self.package_folder) / folder)

    def package_info(self):
        self.cpp_info.set_property('cmake_file_name', 'fighter')
        engine, tasks = self.cpp_info.components['engine'], self.cpp_info.components['tasks']
        engine.set_property('cmake_target_name', 'fighter::fighter')
        engine.set_property('pkg_config_name', 'fighter')
        engine.libs = ['fighter']
        engine.system_libs = ['pthread', 'm'] + (['blis'] if self.options.blas == 'blis' else [])
        tasks.set_property('cmake_target_name', 'fighter::tasks')
        tasks.set_property('pkg_config_name', 'fighter-tasks')
        tasks.libs = ['fighter-tasks']
        tasks.requires = ['engine']
        packages = [dependency.ref.name for dependency in self.dependencies.host.values()]
        for name in self._wanted():
            package, library = OPTIONAL[name][0].partition('/')[0], OPTIONAL[name][1]
            part = engine if name == 'fft' else tasks
            if package in packages:
                part.requires.append(f'{package}::{package}')
            else:  # a library of the system ([platform_requires])
                part.system_libs.append(library)
