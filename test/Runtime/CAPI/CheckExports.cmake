# Fails where a shared library shows anything but functions named carousel_*.
#   cmake -DNM=nm -DLIBRARY=libcarousel_runtime.so [-DVERSION=CAROUSEL_RUNTIME] -P CheckExports.cmake

if(NOT DEFINED VERSION)
  set(VERSION CAROUSEL_RUNTIME)
endif()

execute_process(COMMAND "${NM}" -D --defined-only --format=posix "${LIBRARY}"
  OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" lines "${symbols}")
set(functions 0)
foreach(line IN LISTS lines)
  if(line MATCHES "^carousel_[a-z0-9_]+(@@${VERSION}_[0-9]+)? T ")
    math(EXPR functions "${functions} + 1")
  elseif(NOT line MATCHES "^${VERSION}_[0-9]+(@@${VERSION}_[0-9]+)? A ")
    message(SEND_ERROR "expected functions named carousel_*, got ${line}")
  endif()
endforeach()
if(functions EQUAL 0)
  message(SEND_ERROR "expected functions named carousel_*, got none")
endif()
