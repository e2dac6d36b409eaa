//===- CAPIImpl.h - handles of the C interface ------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Handles, and how functions report. A handle is a struct around the C++ object
// of the same name.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_CAPIIMPL_H
#define CAROUSEL_RUNTIME_SRC_CAPIIMPL_H

#include "Fail.h"

#include "carousel/Runtime/Kernel.h"
#include "carousel_runtime.h"

#include <cstring>
#include <initializer_list>

struct carousel_context {
  carousel::runtime::Context context;
};
struct carousel_package {
  carousel::runtime::Package package;
};
struct carousel_kernel {
  carousel::runtime::Kernel kernel;
};
struct carousel_launch {
  carousel::runtime::Launch launch;
};
struct carousel_buffer {
  carousel::runtime::Buffer buffer;
};

namespace carousel::runtime {

/// Keeps the message for carousel_last_error.
carousel_status report(const Error &error);

inline carousel_status report(const Status &status) {
  return status ? CAROUSEL_OK : report(status.error());
}

/// The first of the pointers that is null, by its parameter's name.
struct Required {
  const void *pointer;
  const char *name;
};
inline Status require(std::initializer_list<Required> parameters) {
  for (const Required &parameter : parameters)
    if (!parameter.pointer)
      return fail(ErrorCode::InvalidArgument,
                  "{}: expected a pointer, got null", parameter.name);
  return {};
}

/// Whether `size` can be that of the struct, in this or a newer header.
template <typename Struct> Status checkSize(size_t size, const char *name) {
  constexpr size_t kMaxBytes = 4096; // else a size that wasn't set
  if (size >= sizeof(Struct) && size <= kMaxBytes)
    return {};
  return fail(ErrorCode::InvalidArgument,
              "{}: expected a size of {} to {} bytes, got {}", name,
              sizeof(Struct), kMaxBytes, size);
}

/// Reads a struct of a caller whose header may be newer: members that are
/// unknown here must be zero.
template <typename Struct>
Status readStruct(const Struct *from, const char *name, Struct &to) {
  if (Status status = checkSize<Struct>(from->size, name); !status)
    return status;
  const auto *bytes = reinterpret_cast<const char *>(from);
  for (size_t i = sizeof(Struct); i < from->size; ++i)
    if (bytes[i] != 0)
      return fail(ErrorCode::UnsupportedVersion,
                  "{}: expected members within the {} bytes that version {} "
                  "has, got one at byte {}",
                  name, sizeof(Struct), CAROUSEL_RUNTIME_VERSION, i);
  to = *from;
  return {};
}

/// Writes a struct for such a caller.
template <typename Struct>
Status writeStruct(Struct value, const char *name, Struct *to) {
  size_t size = to->size;
  if (Status status = checkSize<Struct>(size, name); !status)
    return status;
  value.size = size;
  *to = value;
  std::memset(reinterpret_cast<char *>(to) + sizeof(Struct), 0,
              size - sizeof(Struct));
  return {};
}

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_CAPIIMPL_H
