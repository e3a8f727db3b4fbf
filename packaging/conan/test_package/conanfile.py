# SPDX-License-Identifier: BSD-3-Clause
"""Compiles the hosts of tests/consumer with CMake, and runs them."""

from pathlib import Path

from conan import ConanFile
from conan.tools.build import can_run
from conan.tools.cmake import CMake, cmake_layout


class FighterTest(ConanFile):
    settings = 'os', 'arch', 'compiler', 'build_type'
    generators = 'CMakeDeps', 'CMakeToolchain'

    def requirements(self):
        self.requires(self.tested_reference_str)

    def layout(self):
        cmake_layout(self)

    def build(self):
        cmake = CMake(self)
        cmake.configure(variables={'KIND': 'shared'}, build_script_folder='../../../tests/consumer/cmake')
        cmake.build()

    def test(self):
        if can_run(self):
            for name in ('engine', 'tasks'):
                self.run(str(Path(self.build_folder) / name), env='conanrun')
