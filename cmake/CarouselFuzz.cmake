# libFuzzer programs under AddressSanitizer and UndefinedBehaviorSanitizer, and a short draw of each
# in ctest. A failing input is written beside the program; run the program on it to see why. Longer:
#   CarouselManifestFuzzer -max_total_time=3600 CORPUS
include_guard(GLOBAL)
include(CheckCXXSourceCompiles)
set(CMAKE_REQUIRED_FLAGS "-fsanitize=fuzzer,address,undefined")
check_cxx_source_compiles(
  "extern \"C\" int LLVMFuzzerTestOneInput(const unsigned char *, __SIZE_TYPE__) { return 0; }"
  CAROUSEL_HAVE_FUZZER)
unset(CMAKE_REQUIRED_FLAGS)
option(CAROUSEL_BUILD_FUZZERS "Build the fuzzers; needs clang" ${CAROUSEL_HAVE_FUZZER})
set(CAROUSEL_FUZZ_SECONDS 6 CACHE STRING "how long ctest runs each fuzzer")

# carousel_sanitize(<target> [fuzzer]): with the instrumentation that guides a fuzzer, or as one.
function(carousel_sanitize target)
  set(fuzzer fuzzer-no-link)
  if("fuzzer" IN_LIST ARGN)
    set(fuzzer fuzzer)
    target_link_options(${target} PRIVATE -fsanitize=fuzzer,address,undefined)
  endif()
  target_compile_options(${target} PRIVATE
    -O1 -gline-tables-only -UNDEBUG -fsanitize=${fuzzer},address,undefined -fno-sanitize-recover=all)
endfunction()

# carousel_add_fuzzer(<name> SOURCES ... [LIBS ...] CORPUS <directory> [DICTIONARY <file>]
#   [ARGUMENTS ...]): a program, and a draw of CAROUSEL_FUZZ_SECONDS that begins with the corpus. The
# arguments are libFuzzer's and may say more than the common ones.
function(carousel_add_fuzzer name)
  cmake_parse_arguments(ARG "" "CORPUS;DICTIONARY" "SOURCES;LIBS;ARGUMENTS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LIBS})
  carousel_sanitize(${name} fuzzer)
  if(ARG_DICTIONARY)
    list(APPEND ARG_ARGUMENTS "-dict=${ARG_DICTIONARY}")
  endif()
  # What the fuzzer finds of interest is added to a copy of the corpus.
  set(corpus "${CMAKE_CURRENT_BINARY_DIR}/${name}.corpus")
  add_test(NAME ${name}.Corpus
    COMMAND "${CMAKE_COMMAND}" -E copy_directory "${ARG_CORPUS}" "${corpus}")
  set_tests_properties(${name}.Corpus PROPERTIES FIXTURES_SETUP ${name})
  add_test(NAME ${name}.Run
    COMMAND ${name} "${corpus}" -max_total_time=${CAROUSEL_FUZZ_SECONDS} -seed=1 -timeout=10
      -rss_limit_mb=2048 -print_final_stats=1 "-artifact_prefix=${CMAKE_CURRENT_BINARY_DIR}/"
      ${ARG_ARGUMENTS})
  set_tests_properties(${name}.Run PROPERTIES FIXTURES_REQUIRED ${name} LABELS fuzz TIMEOUT 600)
endfunction()
