# Builds and runs Consumer/, Runtime/Consumer/ and Tools/CInterface/Consumer/, projects of their own
# that find Carousel, its runtime, or the C interfaces with find_package: once in a fresh install
# prefix, once in this build tree.

set(_consumer_work "${CMAKE_CURRENT_BINARY_DIR}/Consumer")
set(_prefix "${_consumer_work}/prefix")

# carousel_add_consumer_test(<name> SOURCE <folder> PACKAGE <name> <directory> [AFTER <fixture>...]
# PROGRAMS <program>...): the entries <name>.configure and .build and one for each program, each
# after the one before it, all after the fixtures given.
function(carousel_add_consumer_test name)
  cmake_parse_arguments(ARG "" "SOURCE" "PACKAGE;AFTER;PROGRAMS" ${ARGN})
  set(build "${_consumer_work}/${name}")
  list(GET ARG_PACKAGE 0 package)
  list(GET ARG_PACKAGE 1 package_dir)
  add_test(NAME ${name}.configure COMMAND ${CMAKE_COMMAND} --fresh
    -G ${CMAKE_GENERATOR} -S "${CMAKE_CURRENT_SOURCE_DIR}/${ARG_SOURCE}" -B "${build}"
    "-DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}" "-D${package}_DIR=${package_dir}")
  add_test(NAME ${name}.build COMMAND ${CMAKE_COMMAND} --build "${build}")
  set_tests_properties(${name}.configure PROPERTIES
    FIXTURES_REQUIRED "${ARG_AFTER}" FIXTURES_SETUP ${name}.configured)
  set_tests_properties(${name}.build PROPERTIES
    FIXTURES_REQUIRED ${name}.configured FIXTURES_SETUP ${name}.built)
  foreach(program IN LISTS ARG_PROGRAMS)
    add_test(NAME ${name}.${program} COMMAND "${build}/${program}")
    set_tests_properties(${name}.${program} PROPERTIES FIXTURES_REQUIRED ${name}.built)
  endforeach()
endfunction()

# A prefix left from an earlier run would hide a file that is no longer installed.
add_test(NAME consumer.clean COMMAND ${CMAKE_COMMAND} -E rm -rf "${_prefix}")
add_test(NAME consumer.install
  COMMAND ${CMAKE_COMMAND} --install "${PROJECT_BINARY_DIR}" --prefix "${_prefix}")
add_test(NAME consumer.installed-tool
  COMMAND "${_prefix}/${CMAKE_INSTALL_BINDIR}/carousel-compile" --version)
set_tests_properties(consumer.clean PROPERTIES FIXTURES_SETUP consumer.cleaned)
set_tests_properties(consumer.install PROPERTIES
  FIXTURES_REQUIRED consumer.cleaned FIXTURES_SETUP consumer.installed)
set_tests_properties(consumer.installed-tool PROPERTIES FIXTURES_REQUIRED consumer.installed)

set(_installed_cmake "${_prefix}/${CMAKE_INSTALL_LIBDIR}/cmake")
set(_build_cmake "${PROJECT_BINARY_DIR}/lib/cmake")
carousel_add_consumer_test(consumer.prefix SOURCE Consumer PROGRAMS consumer vector-ops
  PACKAGE Carousel "${_installed_cmake}/Carousel" AFTER consumer.installed)
carousel_add_consumer_test(consumer.build-tree SOURCE Consumer PROGRAMS consumer vector-ops
  PACKAGE Carousel "${_build_cmake}/Carousel")
carousel_add_consumer_test(consumer.runtime-prefix SOURCE Runtime/Consumer
  PROGRAMS consumer consumer-c
  PACKAGE CarouselRuntime "${_installed_cmake}/CarouselRuntime" AFTER consumer.installed)
carousel_add_consumer_test(consumer.runtime-build-tree SOURCE Runtime/Consumer
  PROGRAMS consumer consumer-c
  PACKAGE CarouselRuntime "${_build_cmake}/CarouselRuntime")

carousel_add_consumer_test(consumer.compiler-prefix SOURCE Tools/CInterface/Consumer PROGRAMS launcher
  PACKAGE CarouselCompiler "${_installed_cmake}/CarouselCompiler" AFTER consumer.installed)
carousel_add_consumer_test(consumer.compiler-build-tree SOURCE Tools/CInterface/Consumer PROGRAMS launcher
  PACKAGE CarouselCompiler "${_build_cmake}/CarouselCompiler")
foreach(name consumer.compiler-prefix consumer.compiler-build-tree)
  add_test(NAME ${name}.embedder COMMAND "${_consumer_work}/${name}/embedder"
    "${PROJECT_SOURCE_DIR}/examples/tile/saxpy.mlir" "${_consumer_work}/${name}/saxpy.pkg")
  set_tests_properties(${name}.embedder PROPERTIES FIXTURES_REQUIRED ${name}.built)
endforeach()
