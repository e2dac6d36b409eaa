# CAROUSEL_SANITIZE=address,undefined builds all of Carousel, or the runtime alone, under sanitizers.
# LLVM's libraries are built without sanitizers and without RTTI: containers that cross the border
# look overflown, and types have no vptr to check (docs/FourProducts.md).
include_guard(GLOBAL)
set(CAROUSEL_SANITIZE "" CACHE STRING "Sanitizers to build with, e.g. address,undefined; empty: none")
if(CAROUSEL_SANITIZE)
  add_compile_options(-g1 -fno-omit-frame-pointer -fsanitize=${CAROUSEL_SANITIZE}
    -fno-sanitize=vptr$<$<CXX_COMPILER_ID:Clang>:,function> -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${CAROUSEL_SANITIZE})
endif()
