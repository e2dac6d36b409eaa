# Build rules shared by every Carousel target: warnings, ccache and lld where present, one
# precompiled header of MLIR's core and Carousel's ops, and one wrapper function per kind of target.

find_program(CAROUSEL_CCACHE ccache)
if(CAROUSEL_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # pch_defines and time_macros let ccache serve units that use the precompiled header. It takes
  # what a unit includes from the compiler's dependency file, as preprocessing each unit that it
  # lacks would cost a second, and hashes the precompiled header once, not for each unit.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_DEPEND=1 CCACHE_INODECACHE=1
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      ${CAROUSEL_CCACHE})
endif()

include(CheckLinkerFlag)
find_program(CAROUSEL_LLD NAMES ld.lld ld.lld-22 HINTS "${LLVM_TOOLS_BINARY_DIR}")
if(CAROUSEL_LLD)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    set(CAROUSEL_LLD_FLAG "--ld-path=${CAROUSEL_LLD}")
  else()
    set(CAROUSEL_LLD_FLAG "-fuse-ld=lld")
  endif()
  check_linker_flag(CXX "${CAROUSEL_LLD_FLAG}" CAROUSEL_LLD_WORKS)
  if(CAROUSEL_LLD_WORKS)
    add_link_options("${CAROUSEL_LLD_FLAG}")
  endif()
endif()

set(CAROUSEL_UNITY_ROOT "${PROJECT_SOURCE_DIR}")
include(CarouselUnity)

include("${PROJECT_SOURCE_DIR}/runtime/cmake/CarouselSanitize.cmake")

# Everything a target that uses Carousel and MLIR needs: headers of LLVM and MLIR as system headers
# (their warnings are not ours), and the language rules of LLVM's build. It is exported as
# Carousel::mlir_options; CarouselConfig.cmake adds the consumer's own MLIR to it.
add_library(carousel_mlir_options INTERFACE)
set_target_properties(carousel_mlir_options PROPERTIES EXPORT_NAME mlir_options)
target_compile_features(carousel_mlir_options INTERFACE cxx_std_17)
target_include_directories(carousel_mlir_options SYSTEM INTERFACE
  $<BUILD_INTERFACE:${LLVM_INCLUDE_DIRS}> $<BUILD_INTERFACE:${MLIR_INCLUDE_DIRS}>)
target_include_directories(carousel_mlir_options INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
  $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
separate_arguments(_llvm_definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
target_compile_definitions(carousel_mlir_options INTERFACE ${_llvm_definitions})
if(NOT LLVM_ENABLE_RTTI)
  target_compile_options(carousel_mlir_options INTERFACE -fno-rtti)
endif()
set(CAROUSEL_MLIR_VERSION "${LLVM_VERSION_MAJOR}.${LLVM_VERSION_MINOR}")

# Carousel's own code only; not exported.
set(CAROUSEL_COMPILE_OPTIONS
  -fno-exceptions -Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers
  $<$<CXX_COMPILER_ID:GNU>:-Wno-comment>
  $<$<BOOL:${CAROUSEL_WARNINGS_AS_ERRORS}>:-Werror>)

# Installed programs find the shared LLVM and MLIR where the build found them, and Carousel's own
# shared library beside them.
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
set(CMAKE_INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")

# The shared MLIR and LLVM libraries keep tools small and give a plugin the one copy of MLIR that
# its host has; a static build of LLVM is taken where it is the only one.
include(CarouselArchives)
if(CAROUSEL_STATIC_TOOLS)
  # The property is that of the program that is linked.
  set(_shared "$<NOT:$<BOOL:$<TARGET_PROPERTY:CAROUSEL_STATIC>>>")
  set(CAROUSEL_MLIR_LIBS "$<${_shared}:MLIR>" "$<${_shared}:LLVM>")
  set(CAROUSEL_SUPPORT_LIBS "$<${_shared}:LLVM>")
elseif(TARGET MLIR)
  set(CAROUSEL_MLIR_LIBS MLIR LLVM)
  set(CAROUSEL_SUPPORT_LIBS LLVM)
else()
  get_property(CAROUSEL_MLIR_LIBS GLOBAL PROPERTY MLIR_ALL_LIBS)
  set(CAROUSEL_SUPPORT_LIBS LLVMSupport)
endif()

# _carousel_common(<name> [<owner of its precompiled header>])
function(_carousel_common name)
  set(pch carousel_pch ${ARGN})
  list(GET pch -1 pch)
  target_compile_options(${name} PRIVATE ${CAROUSEL_COMPILE_OPTIONS})
  get_target_property(type ${name} TYPE)
  if(type STREQUAL "EXECUTABLE")
    # -fPIE instead of -fPIC would be refused: the precompiled header is made with -fPIC.
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${name} PRIVATE -fPIC)
  endif()
  target_precompile_headers(${name} REUSE_FROM ${pch})
endfunction()

# _carousel_add_pch(<name> HEADERS ... [OPTIONS ...] [LIBS ...]): a precompiled header, and the unit
# that owns it.
function(_carousel_add_pch name)
  cmake_parse_arguments(ARG "" "" "HEADERS;OPTIONS;LIBS" ${ARGN})
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/${name}.cpp"
    CONTENT "// the unit that owns the precompiled header\n")
  add_library(${name} OBJECT "${PROJECT_BINARY_DIR}/${name}.cpp")
  target_link_libraries(${name} PUBLIC carousel_mlir_options PRIVATE ${ARG_LIBS})
  add_dependencies(${name} CarouselIRTableGen)
  # Without a time in it, the header of another clone is the same to ccache.
  target_compile_options(${name} PRIVATE ${CAROUSEL_COMPILE_OPTIONS} ${ARG_OPTIONS}
    $<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>)
  target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
endfunction()
# One for all targets but unit tests; see cmake/Precompiled.h for what is in it.
_carousel_add_pch(carousel_pch HEADERS "${PROJECT_SOURCE_DIR}/cmake/Precompiled.h")

# carousel_add_library(<name> SOURCES ... [LIBS ...]): a static library of the layer it lies in.
function(carousel_add_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  add_library(Carousel::${name} ALIAS ${name})
  target_link_libraries(${name} PUBLIC carousel_mlir_options ${ARG_LIBS} ${CAROUSEL_MLIR_LIBS})
  add_dependencies(${name} CarouselTableGen)
  _carousel_common(${name})
  if(NOT name STREQUAL "CarouselDialect") # few large units
    _carousel_unity(${name})
  endif()
  set_property(GLOBAL APPEND PROPERTY CAROUSEL_EXPORTED_TARGETS ${name})
endfunction()

# carousel_add_plain_library(<name> SOURCES ...): a static library that needs LLVM's Support only. The
# precompiled headers have MLIR in them, so that it has none.
function(carousel_add_plain_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  add_library(Carousel::${name} ALIAS ${name})
  target_link_libraries(${name} PUBLIC carousel_mlir_options ${CAROUSEL_SUPPORT_LIBS})
  target_compile_options(${name} PRIVATE ${CAROUSEL_COMPILE_OPTIONS})
  set_property(GLOBAL APPEND PROPERTY CAROUSEL_EXPORTED_TARGETS ${name})
endfunction()

# carousel_add_tool(<name> SOURCES ... LIBS ... [WITHOUT_PLUGINS]): an installed program.
function(carousel_add_tool name)
  cmake_parse_arguments(ARG "WITHOUT_PLUGINS" "" "SOURCES;LIBS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LIBS} ${CAROUSEL_MLIR_LIBS})
  if(ARG_WITHOUT_PLUGINS AND CAROUSEL_STATIC_TOOLS)
    set_target_properties(${name} PROPERTIES CAROUSEL_STATIC ON)
    target_link_libraries(${name} PRIVATE ${CAROUSEL_MLIR_ARCHIVES} ${CAROUSEL_ARCHIVE_LIBS})
    target_link_options(${name} PRIVATE -no-pie LINKER:--gc-sections LINKER:--strip-all)
  endif()
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
  _carousel_common(${name})
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()

# carousel_add_plugin(<name> SOURCES ... LIBS ...): a module that a stock mlir-opt loads.
function(carousel_add_plugin name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBS" ${ARGN})
  add_library(${name} MODULE ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LIBS} ${CAROUSEL_MLIR_LIBS})
  set_target_properties(${name} PROPERTIES PREFIX ""
    LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
  _carousel_common(${name})
  install(TARGETS ${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()

# carousel_add_unittest(<name> PRODUCT <product> SOURCES ... LIBS ...): a GoogleTest program, each case
# a ctest entry with the product as its label. Nothing is added for a product that isn't built.
# Tests call optimised libraries. Of their own code, all that counts is how long it takes to compile.
function(carousel_add_unittest name)
  cmake_parse_arguments(ARG "" "PRODUCT" "SOURCES;LIBS" ${ARGN})
  string(TOUPPER "CAROUSEL_${ARG_PRODUCT}" built)
  if(NOT ARG_PRODUCT STREQUAL "core" AND NOT ${built})
    return()
  endif()
  if(NOT TARGET carousel_test_pch)
    _carousel_add_pch(carousel_test_pch
      HEADERS "${PROJECT_SOURCE_DIR}/cmake/Precompiled.h" <gtest/gtest.h>
      OPTIONS -O0 LIBS GTest::gtest_main)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LIBS} ${CAROUSEL_MLIR_LIBS} GTest::gtest_main)
  _carousel_common(${name} carousel_test_pch)
  target_compile_options(${name} PRIVATE -O0)
  _carousel_unity(${name})
  gtest_discover_tests(${name} PROPERTIES LABELS ${ARG_PRODUCT})
endfunction()
