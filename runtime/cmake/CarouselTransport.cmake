# The packages of the transports' kernels, made by this build's own carousel-compile. The runtime
# finds them in share/carousel beside lib/ and bin/, of a build tree and of an install prefix.
# Chips before sm_90 have no multicast stores.
set(_packages)
foreach(_transport transport:sm_80,sm_90a,sm_100a,sm_120a multicast:sm_90a,sm_100a,sm_120a)
  string(REPLACE ":" ";" _transport "${_transport}")
  list(GET _transport 0 _name)
  list(GET _transport 1 _chips)
  set(_package "${PROJECT_BINARY_DIR}/share/carousel/${_name}.pkg")
  set(_source "${CAROUSEL_RUNTIME_SOURCE_DIR}/transport/${_name}.mlir")
  add_custom_command(OUTPUT "${_package}/manifest.json"
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${PROJECT_BINARY_DIR}/share/carousel"
    COMMAND carousel-compile "${_source}" -o "${_package}" --chip "${_chips}" --emit=ptx --quiet
    DEPENDS carousel-compile "${_source}"
    COMMENT "Compiling the kernels of ${_name}.mlir" VERBATIM)
  list(APPEND _packages "${_package}/manifest.json")
  install(DIRECTORY "${_package}" DESTINATION "${CMAKE_INSTALL_DATADIR}/carousel")
endforeach()
add_custom_target(carousel-transport-package ALL DEPENDS ${_packages})
