# Build rules of the runtime: its header-only dependencies, the CUDA headers, warnings.

find_package(fmt 9 REQUIRED CONFIG)
find_package(Threads REQUIRED)

set(CAROUSEL_HEADERS "" CACHE PATH "where to look first for headers that aren't installed")
function(_carousel_find_header variable header package)
  find_path(${variable} ${header} HINTS "${CAROUSEL_HEADERS}")
  if(NOT ${variable})
    message(FATAL_ERROR "${header} not found; install ${package} or name its directory in CAROUSEL_HEADERS")
  endif()
endfunction()
# The public headers need this one. Installed, it has a CMake package, which the runtime's names.
find_package(tl-expected CONFIG QUIET)
if(NOT TARGET tl::expected)
  _carousel_find_header(CAROUSEL_EXPECTED_DIR tl/expected.hpp libexpected-dev)
endif()
_carousel_find_header(CAROUSEL_JSON_DIR nlohmann/json.hpp nlohmann-json3-dev)
_carousel_find_header(CAROUSEL_CLI11_DIR CLI/CLI.hpp libcli11-dev)

# Types and constants only; the libraries are loaded at run time.
find_path(CAROUSEL_CUDA_INCLUDE cuda.h
  HINTS "${CAROUSEL_CUDA_ROOT}/include" ENV CUDA_HOME PATHS /usr/local/cuda/include)
if(NOT CAROUSEL_CUDA_INCLUDE)
  message(FATAL_ERROR "cuda.h not found; name a CUDA 13 toolkit in CAROUSEL_CUDA_ROOT")
endif()

set(CAROUSEL_RUNTIME_COMPILE_OPTIONS
  -Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers
  $<$<BOOL:${CAROUSEL_WARNINGS_AS_ERRORS}>:-Werror>)

function(_carousel_runtime_common name)
  cmake_parse_arguments(ARG "EXCEPTIONS" "" "" ${ARGN})
  target_compile_options(${name} PRIVATE ${CAROUSEL_RUNTIME_COMPILE_OPTIONS}
    -fvisibility=hidden $<$<COMPILE_LANGUAGE:CXX>:-fvisibility-inlines-hidden>)
  if(NOT ARG_EXCEPTIONS)
    target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions>)
  endif()
  target_include_directories(${name} SYSTEM PRIVATE "${CAROUSEL_CUDA_INCLUDE}"
    "${CAROUSEL_JSON_DIR}" "${CAROUSEL_CLI11_DIR}")
endfunction()

# _carousel_runtime_pch(<name> [<owner>]): the precompiled header of the owner, whose code must be of
# the same kind, or one of its own; see src/Precompiled.h for what is in it.
function(_carousel_runtime_pch name)
  if(ARGN)
    target_precompile_headers(${name} REUSE_FROM ${ARGN})
    return()
  endif()
  target_precompile_headers(${name} PRIVATE "${CAROUSEL_RUNTIME_SOURCE_DIR}/src/Precompiled.h")
  # Without a time in it, the header of another clone is the same to ccache.
  target_compile_options(${name} PRIVATE $<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>)
endfunction()

# carousel_add_runtime_library(<name> SOURCES ...): a static library with the public headers,
# which include those of plain C++ that the compiler has as well, include/carousel/Support.
function(carousel_add_runtime_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  add_library(Carousel::${name} ALIAS ${name})
  target_include_directories(${name}
    PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
           $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/../include>
           $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/src")
  target_compile_features(${name} PUBLIC cxx_std_17)
  target_link_libraries(${name} PUBLIC fmt::fmt Threads::Threads ${CMAKE_DL_LIBS})
  if(TARGET tl::expected)
    target_link_libraries(${name} PUBLIC tl::expected)
  else()
    target_include_directories(${name} SYSTEM PUBLIC "${CAROUSEL_EXPECTED_DIR}")
  endif()
  # Out of memory, the standard library throws, and the public functions are noexcept. Without
  # exceptions in the library, what is thrown would unwind through it to the caller.
  _carousel_runtime_common(${name} EXCEPTIONS)
  _carousel_runtime_pch(${name})
endfunction()

# carousel_embed_device_headers(<target>): makes DeviceHeaders.inc of the headers of runtime/device,
# where the target's sources find it.
function(carousel_embed_device_headers target)
  set(root "${CAROUSEL_RUNTIME_SOURCE_DIR}/device")
  set(output "${CMAKE_CURRENT_BINARY_DIR}/embedded/DeviceHeaders.inc")
  set(script "${CAROUSEL_RUNTIME_SOURCE_DIR}/cmake/EmbedDeviceHeaders.cmake")
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS "${root}/*.h")
  add_custom_command(OUTPUT "${output}"
    COMMAND "${CMAKE_COMMAND}" "-DROOT=${root}" "-DOUTPUT=${output}" -P "${script}"
    DEPENDS ${headers} "${script}"
    COMMENT "Embedding the device headers" VERBATIM)
  target_sources(${target} PRIVATE "${output}")
  target_include_directories(${target} PRIVATE "${CMAKE_CURRENT_BINARY_DIR}/embedded")
endfunction()

# Tests call optimised libraries. Of their own code, all that counts is how long it takes to compile.
function(_carousel_runtime_test_options name)
  _carousel_runtime_common(${name})
  # A precompiled header and its users need the same kind of code.
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE -fPIC -O0)
endfunction()

# The precompiled header of all these tests; see test/Runtime/Precompiled.h for what is in it.
function(_carousel_add_runtime_test_pch)
  file(WRITE "${PROJECT_BINARY_DIR}/test-pch.cpp" "// the unit that owns the precompiled header\n")
  add_library(carousel_runtime_test_pch OBJECT "${PROJECT_BINARY_DIR}/test-pch.cpp")
  target_link_libraries(carousel_runtime_test_pch PRIVATE CarouselRuntime GTest::gtest_main)
  _carousel_runtime_test_options(carousel_runtime_test_pch)
  # Without a time in it, the header of another clone is the same to ccache.
  target_compile_options(carousel_runtime_test_pch PRIVATE
    $<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>)
  target_precompile_headers(carousel_runtime_test_pch PRIVATE
    "${CAROUSEL_RUNTIME_SOURCE_DIR}/../test/Runtime/Precompiled.h")
endfunction()

# carousel_add_runtime_test(<name> SOURCES ... [LIBS ...]): a GoogleTest program that sees the
# library's own headers, each case a ctest entry.
function(carousel_add_runtime_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBS" ${ARGN})
  if(NOT TARGET carousel_runtime_test_pch)
    _carousel_add_runtime_test_pch()
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE CarouselRuntime ${ARG_LIBS} GTest::gtest_main)
  target_include_directories(${name} PRIVATE "${CAROUSEL_RUNTIME_SOURCE_DIR}/src")
  _carousel_runtime_test_options(${name})
  target_precompile_headers(${name} REUSE_FROM carousel_runtime_test_pch)
  list(FILTER ARG_SOURCES INCLUDE REGEX "\\.c$")
  set_source_files_properties(${ARG_SOURCES} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  if(COMMAND _carousel_unity) # in Carousel's own build
    _carousel_unity(${name})
  endif()
  gtest_discover_tests(${name})
endfunction()
set(CAROUSEL_RUNTIME_SOURCE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
