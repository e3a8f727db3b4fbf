# SPDX-License-Identifier: BSD-3-Clause
# The source archive lies beside this file (docs/packages.md).
vcpkg_extract_source_archive(SOURCE_PATH ARCHIVE "${CURRENT_PORT_DIR}/fighter-${VERSION}.tar.xz")

set(options -Dauto_features=disabled)
foreach(feature fft jpeg png text zlib)
    if(feature IN_LIST FEATURES)
        list(APPEND options -D${feature}=enabled)
    endif()
endforeach()
if("blis" IN_LIST FEATURES)
    list(APPEND options -Dblas=blis)
else()
    list(APPEND options -Dblas=ref)
endif()
vcpkg_configure_meson(SOURCE_PATH "${SOURCE_PATH}" OPTIONS ${options})
vcpkg_install_meson()
vcpkg_fixup_pkgconfig()
vcpkg_copy_pdbs()

# fighterConfig.cmake finds the libraries from its place beside them.
set(VCPKG_POLICY_SKIP_LIB_CMAKE_MERGE_CHECK enabled)
set(VCPKG_POLICY_SKIP_MISPLACED_CMAKE_FILES_CHECK enabled)
file(REMOVE_RECURSE
    "${CURRENT_PACKAGES_DIR}/debug/include"
    "${CURRENT_PACKAGES_DIR}/debug/share"
    "${CURRENT_PACKAGES_DIR}/share/doc")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/COPYING")
