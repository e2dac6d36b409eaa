//===- Layout.cpp - extents and strides -----------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes layouts, with every product and sum checked, and reads shapes.
//
//===----------------------------------------------------------------------===//

#include "Layout.h"

#include "carousel/Runtime/Fail.h"

#include <algorithm>
#include <charconv>

using namespace carousel;
using namespace carousel::tools;
using runtime::ErrorCode;
using runtime::fail;

/// Sizes stay below 2^60 elements, so that bytes fit a signed 64-bit integer.
static constexpr int64_t kMaxElements = int64_t(1) << 60;

static tl::unexpected<runtime::Error>
failTooLarge(const std::vector<int64_t> &extents) {
  return fail(ErrorCode::InvalidArgument,
              "expected a tensor of at most 2^60 elements, got the shape {}",
              formatShape(extents));
}

Result<Layout> Layout::strided(std::vector<int64_t> extents,
                               std::vector<int64_t> strides) {
  if (extents.size() > runtime::kMaxRank)
    return fail(ErrorCode::InvalidArgument,
                "expected at most {} dimensions, got {}", +runtime::kMaxRank,
                extents.size());
  if (strides.size() != extents.size())
    return fail(ErrorCode::InvalidArgument,
                "expected as many strides as extents, {}, got {}",
                extents.size(), strides.size());
  Layout layout;
  bool empty = false;
  for (size_t d = 0; d < extents.size(); ++d) {
    int64_t extent = extents[d], stride = strides[d];
    if (extent < 0)
      return fail(ErrorCode::InvalidArgument,
                  "expected extents of 0 or more, got {}", extent);
    if (stride < 0)
      return fail(ErrorCode::InvalidArgument,
                  "expected strides of 0 or more, got {}", stride);
    empty |= extent == 0;
    layout.overlaps |= extent > 1 && stride == 0;
    // A 0 elsewhere doesn't make the other extents valid: their strides would
    // overflow all the same.
    int64_t count = std::max<int64_t>(extent, 1), elements, reach, storage;
    if (__builtin_mul_overflow(static_cast<int64_t>(layout.elements), count,
                               &elements) ||
        __builtin_mul_overflow(count - 1, stride, &reach) ||
        __builtin_add_overflow(static_cast<int64_t>(layout.storage), reach,
                               &storage) ||
        elements > kMaxElements || storage > kMaxElements)
      return failTooLarge(extents);
    layout.elements = elements;
    layout.storage = storage;
  }
  if (empty)
    layout.elements = layout.storage = 0;
  layout.extents = std::move(extents);
  layout.strides = std::move(strides);
  return layout;
}

Result<Layout> Layout::rowMajor(std::vector<int64_t> extents) {
  std::vector<int64_t> strides(extents.size());
  int64_t stride = 1;
  for (size_t d = extents.size(); d-- > 0;) {
    strides[d] = stride;
    if (__builtin_mul_overflow(stride, std::max<int64_t>(extents[d], 1),
                               &stride))
      return failTooLarge(extents);
  }
  return strided(std::move(extents), std::move(strides));
}

Result<Layout> Layout::columnMajor(std::vector<int64_t> extents) {
  if (std::count_if(extents.begin(), extents.end(),
                    [](int64_t extent) { return extent != 1; }) <= 1)
    return rowMajor(std::move(extents));
  std::vector<int64_t> strides(extents.size());
  int64_t stride = 1;
  for (size_t d = 0; d < extents.size(); ++d) {
    strides[d] = stride;
    if (__builtin_mul_overflow(stride, std::max<int64_t>(extents[d], 1),
                               &stride))
      return failTooLarge(extents);
  }
  return strided(std::move(extents), std::move(strides));
}

bool Layout::isRowMajor() const {
  int64_t stride = 1;
  for (size_t d = extents.size(); d-- > 0;) {
    if (strides[d] != stride)
      return false;
    stride *= std::max<int64_t>(extents[d], 1);
  }
  return true;
}

std::string tools::formatShape(const std::vector<int64_t> &extents) {
  return extents.empty() ? "[]" : fmt::format("{}", fmt::join(extents, "x"));
}

static Result<std::vector<int64_t>> parseList(std::string_view text,
                                              std::string_view all) {
  std::vector<int64_t> values;
  if (text == "[]")
    return values;
  while (true) {
    size_t end = std::min(text.find('x'), text.size());
    int64_t value = 0;
    auto [stop, error] = std::from_chars(text.data(), text.data() + end, value);
    if (end == 0 || error != std::errc() || stop != text.data() + end)
      return fail(ErrorCode::InvalidArgument,
                  "expected a shape like 4096, 64x128, 64x128@136x1 or [], got "
                  "'{}'",
                  all);
    values.push_back(value);
    if (end == text.size())
      return values;
    text.remove_prefix(end + 1);
  }
}

Result<Layout> tools::parseLayout(std::string_view text) {
  size_t at = text.find('@');
  CAROUSEL_TRY_ASSIGN(auto extents, parseList(text.substr(0, at), text));
  if (at == std::string_view::npos)
    return Layout::rowMajor(std::move(extents));
  CAROUSEL_TRY_ASSIGN(auto strides, parseList(text.substr(at + 1), text));
  return Layout::strided(std::move(extents), std::move(strides));
}
