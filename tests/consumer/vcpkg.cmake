# SPDX-License-Identifier: BSD-3-Clause
# Runs packaging/vcpkg/portfile.cmake without vcpkg: the functions below do the same, for a release build.
# usage: cmake -DARCHIVE=FILE -DVERSION=NUMBER -DFEATURES=LIST -DWORK=FOLDER -P vcpkg.cmake
cmake_minimum_required(VERSION 3.18)
set(CURRENT_PORT_DIR "${WORK}/port")
set(CURRENT_PACKAGES_DIR "${WORK}/packages")
file(COPY "${CMAKE_CURRENT_LIST_DIR}/../../packaging/vcpkg/" "${ARCHIVE}" DESTINATION "${CURRENT_PORT_DIR}")

function(run)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE failed)
    if(failed)
        message(FATAL_ERROR "${ARGN}: ${failed}")
    endif()
endfunction()

function(vcpkg_extract_source_archive out)
    cmake_parse_arguments(arg "" ARCHIVE "" ${ARGN})
    file(MAKE_DIRECTORY "${WORK}/source")
    run("${CMAKE_COMMAND}" -E chdir "${WORK}/source" "${CMAKE_COMMAND}" -E tar xf "${arg_ARCHIVE}")
    file(GLOB folder "${WORK}/source/*")
    set(${out} "${folder}" PARENT_SCOPE)
endfunction()

function(vcpkg_configure_meson)
    cmake_parse_arguments(arg "" SOURCE_PATH OPTIONS ${ARGN})
    run(meson setup "${WORK}/build" "${arg_SOURCE_PATH}" --prefix "${CURRENT_PACKAGES_DIR}" --libdir lib
        --buildtype release --default-library static ${arg_OPTIONS})
endfunction()

function(vcpkg_install_meson)
    run(ninja -C "${WORK}/build" install)
endfunction()

function(vcpkg_install_copyright)
    cmake_parse_arguments(arg "" "" FILE_LIST ${ARGN})
    file(INSTALL ${arg_FILE_LIST} DESTINATION "${CURRENT_PACKAGES_DIR}/share/fighter")
endfunction()

function(vcpkg_fixup_pkgconfig)
endfunction()

function(vcpkg_copy_pdbs)
endfunction()

include("${CURRENT_PORT_DIR}/portfile.cmake")
