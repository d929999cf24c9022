"""The core as a Conan package, from a clone of the repository: conan create core"""

import os

from conan import ConanFile
from conan.tools.cmake import CMake, cmake_layout
from conan.tools.files import copy


class StowageCore(ConanFile):
    name = "stowage-core"
    version = "0.3.0"
    description = "A static memory planner in one C99 file"
    url = homepage = "https://github.com/stowage-go/stowage"
    license = "Apache-2.0"
    topics = ("memory", "allocation", "planner")
    package_type = "static-library"
    settings = "os", "arch", "compiler", "build_type"
    generators = "CMakeToolchain"
    exports_sources = "CMakeLists.txt", "stowage_core.*", "stowage_place.*", "cmake/*"

    def export_sources(self):
        copy(self, "LICENSE", src=os.path.join(self.recipe_folder, ".."), dst=self.export_sources_folder)

    def configure(self):
        self.settings.rm_safe("compiler.cppstd")
        self.settings.rm_safe("compiler.libcxx")

    def layout(self):
        cmake_layout(self)

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", src=self.source_folder, dst=os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        self.cpp_info.libs = ["stowage_core"]
        self.cpp_info.set_property("cmake_file_name", "stowage_core")
        self.cpp_info.set_property("cmake_target_name", "stowage::core")
        self.cpp_info.set_property("cmake_config_version_compat", "SameMinorVersion")
