# What programs that only launch build against: both libraries, their headers, and
# CarouselRuntimeConfig.cmake, for an install prefix and for this build tree.

include(CMakePackageConfigHelpers)

set(_config_dir "${CMAKE_INSTALL_LIBDIR}/cmake/CarouselRuntime")
set(_build_config_dir "${PROJECT_BINARY_DIR}/lib/cmake/CarouselRuntime")

install(TARGETS CarouselRuntime carousel_runtime EXPORT CarouselRuntimeTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT CarouselInterfaces
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  COMPONENT CarouselInterfaces NAMELINK_COMPONENT CarouselInterfaces)
install(EXPORT CarouselRuntimeTargets NAMESPACE Carousel:: DESTINATION ${_config_dir}
  COMPONENT CarouselInterfaces)
export(EXPORT CarouselRuntimeTargets NAMESPACE Carousel::
  FILE "${_build_config_dir}/CarouselRuntimeTargets.cmake")

configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/CarouselRuntimeConfig.cmake.in"
  "${_build_config_dir}/CarouselRuntimeConfig.cmake"
  INSTALL_DESTINATION ${_config_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${_build_config_dir}/CarouselRuntimeConfigVersion.cmake"
  VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
install(FILES
  "${_build_config_dir}/CarouselRuntimeConfig.cmake"
  "${_build_config_dir}/CarouselRuntimeConfigVersion.cmake"
  DESTINATION ${_config_dir} COMPONENT CarouselInterfaces)
install(DIRECTORY "${CAROUSEL_RUNTIME_SOURCE_DIR}/include/" DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  COMPONENT CarouselInterfaces)
install(DIRECTORY "${CAROUSEL_RUNTIME_SOURCE_DIR}/../include/carousel/Support"
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/carousel COMPONENT CarouselInterfaces)
# For nvcc; NVRTC sees those that are in the library.
install(DIRECTORY "${CAROUSEL_RUNTIME_SOURCE_DIR}/device/" DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  COMPONENT CarouselInterfaces FILES_MATCHING PATTERN "*.h")
