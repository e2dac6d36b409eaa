# Fails where a shared library shows anything but functions named carousel_*.
#   cmake -DNM=nm -DLIBRARY=libcarousel_runtime.so -P CheckExports.cmake

execute_process(COMMAND "${NM}" -D --defined-only --format=posix "${LIBRARY}"
  OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" lines "${symbols}")
set(functions 0)
foreach(line IN LISTS lines)
  if(line MATCHES "^carousel_[a-z0-9_]+(@@CAROUSEL_RUNTIME_[0-9]+)? T ")
    math(EXPR functions "${functions} + 1")
  elseif(NOT line MATCHES "^CAROUSEL_RUNTIME_[0-9]+(@@CAROUSEL_RUNTIME_[0-9]+)? A ")
    message(SEND_ERROR "expected functions named carousel_*, got ${line}")
  endif()
endforeach()
if(functions EQUAL 0)
  message(SEND_ERROR "expected functions named carousel_*, got none")
endif()
