# What others build against: the libraries as imported targets Carousel::<name>, the headers with
# what TableGen made of them, and CarouselConfig.cmake. The same package file serves an install
# prefix and this build tree (Carousel_DIR=<build>/lib/cmake/Carousel).

include(CMakePackageConfigHelpers)

set(_config_dir "${CMAKE_INSTALL_LIBDIR}/cmake/Carousel")
set(_build_config_dir "${PROJECT_BINARY_DIR}/lib/cmake/Carousel")

get_property(_targets GLOBAL PROPERTY CAROUSEL_EXPORTED_TARGETS)
install(TARGETS ${_targets} carousel_mlir_options EXPORT CarouselTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT CarouselTargets NAMESPACE Carousel:: DESTINATION ${_config_dir})
export(EXPORT CarouselTargets NAMESPACE Carousel::
  FILE "${_build_config_dir}/CarouselTargets.cmake")

configure_package_config_file(
  "${CMAKE_CURRENT_LIST_DIR}/CarouselConfig.cmake.in" "${_build_config_dir}/CarouselConfig.cmake"
  INSTALL_DESTINATION ${_config_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${_build_config_dir}/CarouselConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES
  "${_build_config_dir}/CarouselConfig.cmake" "${_build_config_dir}/CarouselConfigVersion.cmake"
  DESTINATION ${_config_dir})

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/carousel" "${PROJECT_BINARY_DIR}/include/carousel"
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h" PATTERN "*.def" PATTERN "*.td" PATTERN "*.h.inc" PATTERN "CMakeFiles" EXCLUDE)
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION ${CMAKE_INSTALL_DOCDIR})

# All that a wheel has (python/CMakeLists.txt): programs, and the components CarouselInterfaces,
# CarouselLaunchTools and CarouselWheel.
if(CAROUSEL_ALL_PRODUCTS)
  get_property(_programs GLOBAL PROPERTY CAROUSEL_WHEEL_PROGRAMS)
  add_custom_target(carousel-wheel DEPENDS ${_programs} CarouselCompiler CarouselRuntime carousel_runtime
    carousel-run carousel-tune)
endif()
