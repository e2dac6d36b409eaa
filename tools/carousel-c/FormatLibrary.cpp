//===- FormatLibrary.cpp - fmt in the compiler's library ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// carousel-sim prints by fmt, of which Debian has no archive. This unit has
// what fmt's own library would have, so that libCarouselCompiler needs none.
//
//===----------------------------------------------------------------------===//

#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {
template FMT_API thousands_sep_result<char>
    thousands_sep_impl<char>(locale_ref);
template FMT_API char decimal_point_impl(locale_ref);
template FMT_API void buffer<char>::append(const char *, const char *);
template FMT_API void vformat_to(buffer<char> &, string_view,
                                 basic_format_args<buffer_context<char>>,
                                 locale_ref);
} // namespace detail
FMT_END_NAMESPACE
