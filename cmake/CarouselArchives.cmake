# The archives of MLIR and LLVM, for libCarouselCompiler, which holds them itself, and for tools that
# run often: loading the shared libraries takes a tool longer than most of its work in tests.

get_property(_mlir GLOBAL PROPERTY MLIR_ALL_LIBS)
set(_llvm ${LLVM_AVAILABLE_LIBS})
list(FILTER _llvm EXCLUDE REGEX "^(LLVM|LTO|Remarks)$")
find_library(CAROUSEL_ZSTD_ARCHIVE libzstd.a)
find_library(CAROUSEL_ZLIB_ARCHIVE libz.a)
find_library(CAROUSEL_MLIR_ARCHIVE libMLIRIR.a HINTS "${LLVM_LIBRARY_DIR}" NO_DEFAULT_PATH)

# Files to link, and what they need in turn; empty where the archives aren't installed. The targets
# name the shared LLVM as what they need, so that the archives are linked as files.
set(CAROUSEL_MLIR_ARCHIVES "")
if(TARGET MLIR AND CAROUSEL_MLIR_ARCHIVE AND CAROUSEL_ZSTD_ARCHIVE AND CAROUSEL_ZLIB_ARCHIVE)
  foreach(library IN LISTS _mlir _llvm)
    if(TARGET ${library})
      get_target_property(type ${library} TYPE)
      # Of some, such as Polly's, no archive is installed.
      get_target_property(file ${library} LOCATION)
      if(type STREQUAL "STATIC_LIBRARY" AND EXISTS "${file}")
        list(APPEND CAROUSEL_MLIR_ARCHIVES "${file}")
      endif()
    endif()
  endforeach()
endif()
find_package(Threads REQUIRED)
set(CAROUSEL_ARCHIVE_LIBS "${CAROUSEL_ZSTD_ARCHIVE}" "${CAROUSEL_ZLIB_ARCHIVE}" Threads::Threads
    ${CMAKE_DL_LIBS} m rt)

option(CAROUSEL_STATIC_TOOLS "Link tools that load no plugins with the archives of MLIR and LLVM" OFF)
if(CAROUSEL_STATIC_TOOLS AND NOT (CAROUSEL_MLIR_ARCHIVES AND CAROUSEL_LLD_WORKS))
  message(FATAL_ERROR "expected the archives of MLIR, LLVM, zstd and zlib, and lld, for CAROUSEL_STATIC_TOOLS, "
                      "got '${CAROUSEL_MLIR_ARCHIVE}', '${CAROUSEL_ZSTD_ARCHIVE}', '${CAROUSEL_ZLIB_ARCHIVE}' and "
                      "'${CAROUSEL_LLD}'")
endif()
