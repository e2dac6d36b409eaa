# Builds and runs Consumer/, a project of its own that finds Carousel with find_package: once in
# a fresh install prefix, once in this build tree.

set(_consumer_work "${CMAKE_CURRENT_BINARY_DIR}/Consumer")
set(_prefix "${_consumer_work}/prefix")

# carousel_add_consumer_test(<name> <package directory> <fixture>...): three entries, <name>.configure,
# .build and .run, each after the one before it, all after the fixtures given.
function(carousel_add_consumer_test name package_dir)
  set(build "${_consumer_work}/${name}")
  add_test(NAME ${name}.configure COMMAND ${CMAKE_COMMAND} --fresh
    -G ${CMAKE_GENERATOR} -S "${CMAKE_CURRENT_SOURCE_DIR}/Consumer" -B "${build}"
    "-DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}" "-DCarousel_DIR=${package_dir}")
  add_test(NAME ${name}.build COMMAND ${CMAKE_COMMAND} --build "${build}")
  add_test(NAME ${name}.run COMMAND "${build}/consumer")
  set_tests_properties(${name}.configure PROPERTIES
    FIXTURES_REQUIRED "${ARGN}" FIXTURES_SETUP ${name}.configured)
  set_tests_properties(${name}.build PROPERTIES
    FIXTURES_REQUIRED ${name}.configured FIXTURES_SETUP ${name}.built)
  set_tests_properties(${name}.run PROPERTIES FIXTURES_REQUIRED ${name}.built)
endfunction()

# A prefix left from an earlier run would hide a file that is no longer installed.
add_test(NAME consumer.clean COMMAND ${CMAKE_COMMAND} -E rm -rf "${_prefix}")
add_test(NAME consumer.install
  COMMAND ${CMAKE_COMMAND} --install "${PROJECT_BINARY_DIR}" --prefix "${_prefix}")
add_test(NAME consumer.installed-tool
  COMMAND "${_prefix}/${CMAKE_INSTALL_BINDIR}/carousel-opt" --version)
set_tests_properties(consumer.clean PROPERTIES FIXTURES_SETUP consumer.cleaned)
set_tests_properties(consumer.install PROPERTIES
  FIXTURES_REQUIRED consumer.cleaned FIXTURES_SETUP consumer.installed)
set_tests_properties(consumer.installed-tool PROPERTIES FIXTURES_REQUIRED consumer.installed)

carousel_add_consumer_test(consumer.prefix
  "${_prefix}/${CMAKE_INSTALL_LIBDIR}/cmake/Carousel" consumer.installed)
carousel_add_consumer_test(consumer.build-tree "${PROJECT_BINARY_DIR}/lib/cmake/Carousel")
