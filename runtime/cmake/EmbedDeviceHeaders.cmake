# Writes the text of Carousel's device headers as C++ string literals, for DeviceHeaders.cpp.
#   cmake -DROOT=runtime/device -DOUTPUT=DeviceHeaders.inc -P EmbedDeviceHeaders.cmake
# Each header becomes an entry {"carousel/device/NAME.h", R"(its text)"}, sorted by name. Nothing of
# it depends on where the tree lies.

file(GLOB_RECURSE headers RELATIVE "${ROOT}" "${ROOT}/*.h")
list(SORT headers)
set(text "")
foreach(header IN LISTS headers)
  file(READ "${ROOT}/${header}" contents)
  string(FIND "${contents}" ")CAROUSEL\"" end)
  if(NOT end EQUAL -1)
    message(FATAL_ERROR "expected ${header} to have no ')CAROUSEL\"' in it, got one at byte ${end}")
  endif()
  string(APPEND text "{\"${header}\", R\"CAROUSEL(${contents})CAROUSEL\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "${text}")
