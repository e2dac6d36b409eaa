# NVIDIA's PTX compiler as a static library, which some CUDA toolkits have and the wheel
# nvidia-nvptxcompiler: the imported target NVPTXCompiler::NVPTXCompiler. Looked for in
# NVPTXCompiler_ROOT and CAROUSEL_CUDA_ROOT, then where CMake looks for everything.

find_path(NVPTXCompiler_INCLUDE_DIR nvPTXCompiler.h
  HINTS "${CAROUSEL_CUDA_ROOT}" PATH_SUFFIXES include)
find_library(NVPTXCompiler_LIBRARY nvptxcompiler_static
  HINTS "${CAROUSEL_CUDA_ROOT}" PATH_SUFFIXES lib lib64 targets/x86_64-linux/lib)
mark_as_advanced(NVPTXCompiler_INCLUDE_DIR NVPTXCompiler_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(NVPTXCompiler
  REQUIRED_VARS NVPTXCompiler_LIBRARY NVPTXCompiler_INCLUDE_DIR)

if(NVPTXCompiler_FOUND AND NOT TARGET NVPTXCompiler::NVPTXCompiler)
  find_package(Threads REQUIRED)
  add_library(NVPTXCompiler::NVPTXCompiler STATIC IMPORTED)
  set_target_properties(NVPTXCompiler::NVPTXCompiler PROPERTIES
    IMPORTED_LOCATION "${NVPTXCompiler_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${NVPTXCompiler_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "Threads::Threads;${CMAKE_DL_LIBS}")
endif()
