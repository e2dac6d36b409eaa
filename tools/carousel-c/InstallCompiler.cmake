# For find_package(CarouselCompiler CONFIG): the C interface as Carousel::CarouselCompiler, for an
# install prefix and for this build tree. It needs no other package.

include(CMakePackageConfigHelpers)

set(_config_dir "${CMAKE_INSTALL_LIBDIR}/cmake/CarouselCompiler")
set(_build_config_dir "${PROJECT_BINARY_DIR}/lib/cmake/CarouselCompiler")

install(TARGETS CarouselCompiler EXPORT CarouselCompilerTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  COMPONENT CarouselInterfaces NAMELINK_COMPONENT CarouselInterfaces)
install(EXPORT CarouselCompilerTargets NAMESPACE Carousel:: FILE CarouselCompilerConfig.cmake
  DESTINATION ${_config_dir} COMPONENT CarouselInterfaces)
export(EXPORT CarouselCompilerTargets NAMESPACE Carousel::
  FILE "${_build_config_dir}/CarouselCompilerConfig.cmake")
write_basic_package_version_file("${_build_config_dir}/CarouselCompilerConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${_build_config_dir}/CarouselCompilerConfigVersion.cmake"
  DESTINATION ${_config_dir} COMPONENT CarouselInterfaces)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/carousel-c" DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  COMPONENT CarouselInterfaces)
