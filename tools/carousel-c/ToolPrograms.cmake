# The programs of a wheel that need LLVM. LLVM and MLIR are in the library, once for all of them: the
# code of each program is, too, its main by another name, and the program only calls it. They are the
# programs of bin/ in all but nvPTXCompiler, which the library doesn't have.

# carousel_add_library_tool(<name> MAIN <function> SOURCES ... [LIBS ...]). The sources see the libraries' headers.
function(carousel_add_library_tool name)
  cmake_parse_arguments(ARG "" "MAIN" "SOURCES;LIBS" ${ARGN})
  list(TRANSFORM ARG_SOURCES PREPEND "${PROJECT_SOURCE_DIR}/tools/${name}/")
  add_library(${name}-code OBJECT ${ARG_SOURCES})
  target_link_libraries(${name}-code PRIVATE carousel_mlir_options ${ARG_LIBS})
  target_compile_definitions(${name}-code PRIVATE CAROUSEL_VERSION="${PROJECT_VERSION}" CAROUSEL_CUDA_ROOT="")
  # The first source has the main.
  list(GET ARG_SOURCES 0 main)
  set_source_files_properties("${main}" TARGET_DIRECTORY ${name}-code
    PROPERTIES COMPILE_OPTIONS "-Dmain=${ARG_MAIN}")
  add_dependencies(${name}-code CarouselTableGen)
  target_compile_options(${name}-code PRIVATE -fvisibility=hidden)
  _carousel_common(${name}-code)
  target_sources(CarouselCompiler PRIVATE $<TARGET_OBJECTS:${name}-code>)

  add_executable(${name}-program ToolProgram.c)
  target_link_libraries(${name}-program PRIVATE CarouselCompiler)
  target_compile_definitions(${name}-program PRIVATE CAROUSEL_TOOL="${name}")
  target_compile_options(${name}-program PRIVATE ${CAROUSEL_COMPILE_OPTIONS})
  set_target_properties(${name}-program PROPERTIES OUTPUT_NAME ${name}
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/wheel/bin")
  set_property(GLOBAL APPEND PROPERTY CAROUSEL_WHEEL_PROGRAMS ${name}-program)
  install(TARGETS ${name}-program RUNTIME DESTINATION bin COMPONENT CarouselWheel EXCLUDE_FROM_ALL)
endfunction()

carousel_add_library_tool(carousel-opt MAIN runCarouselOpt SOURCES carousel-opt.cpp)
carousel_add_library_tool(carousel-compile MAIN runCarouselCompile SOURCES carousel-compile.cpp
  LIBS CarouselRuntime)
carousel_add_library_tool(carousel-sim MAIN runCarouselSim SOURCES carousel-sim.cpp LIBS CarouselSimSupport)
carousel_add_library_tool(carousel-mutate MAIN runCarouselMutate SOURCES carousel-mutate.cpp)
target_sources(CarouselCompiler PRIVATE RunTool.cpp FormatLibrary.cpp)
set_source_files_properties(FormatLibrary.cpp PROPERTIES COMPILE_OPTIONS -fexceptions SKIP_PRECOMPILE_HEADERS ON)
