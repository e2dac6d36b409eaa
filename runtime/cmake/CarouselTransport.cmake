# The package of the TMA transport's kernels, made by this build's own carousel-compile. The runtime
# finds it in share/carousel beside lib/ and bin/, of a build tree and of an install prefix.
set(_transport "${PROJECT_BINARY_DIR}/share/carousel/transport.pkg")
set(_transport_source "${CAROUSEL_RUNTIME_SOURCE_DIR}/transport/transport.mlir")
add_custom_command(OUTPUT "${_transport}/manifest.json"
  COMMAND "${CMAKE_COMMAND}" -E make_directory "${PROJECT_BINARY_DIR}/share/carousel"
  COMMAND carousel-compile "${_transport_source}" -o "${_transport}"
    --chip sm_80,sm_90a,sm_100a,sm_120a --emit=ptx --quiet
  DEPENDS carousel-compile "${_transport_source}"
  COMMENT "Compiling the transport kernels" VERBATIM)
add_custom_target(carousel-transport-package ALL DEPENDS "${_transport}/manifest.json")
install(DIRECTORY "${_transport}" DESTINATION "${CMAKE_INSTALL_DATADIR}/carousel")
