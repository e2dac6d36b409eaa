//===- Types.cpp - names and sizes of element types -----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Types.h.
//
//===----------------------------------------------------------------------===//

#include "carousel/Runtime/Types.h"

namespace carousel::runtime {

namespace {
struct ElementInfo {
  ElementType type;
  const char *name;
  size_t bytes;
};

constexpr ElementInfo kElements[] = {
    {ElementType::I1, "i1", 1},
    {ElementType::I8, "i8", 1},
    {ElementType::I16, "i16", 2},
    {ElementType::I32, "i32", 4},
    {ElementType::I64, "i64", 8},
    {ElementType::F16, "f16", 2},
    {ElementType::BF16, "bf16", 2},
    {ElementType::F32, "f32", 4},
    {ElementType::F64, "f64", 8},
    {ElementType::F8E4M3FN, "f8E4M3FN", 1},
    {ElementType::F8E5M2, "f8E5M2", 1},
    {ElementType::F8E8M0FNU, "f8E8M0FNU", 1},
    {ElementType::Index, "index", 8},
};

/// Null for a number that is no ElementType, which the C ABI lets in.
const ElementInfo *lookup(ElementType type) {
  for (const ElementInfo &info : kElements)
    if (info.type == type)
      return &info;
  return nullptr;
}
} // namespace

size_t getBytes(ElementType type) noexcept {
  const ElementInfo *info = lookup(type);
  return info ? info->bytes : 0;
}

bool isInteger(ElementType type) noexcept {
  switch (type) {
  case ElementType::I1:
  case ElementType::I8:
  case ElementType::I16:
  case ElementType::I32:
  case ElementType::I64:
  case ElementType::Index:
    return true;
  default:
    return false;
  }
}

const char *toString(ElementType type) noexcept {
  const ElementInfo *info = lookup(type);
  return info ? info->name : "an unknown type";
}

std::optional<ElementType> parseElementType(std::string_view name) noexcept {
  for (const ElementInfo &info : kElements)
    if (name == info.name)
      return info.type;
  return std::nullopt;
}

} // namespace carousel::runtime
