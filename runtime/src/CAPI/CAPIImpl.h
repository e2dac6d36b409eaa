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

#ifndef CAROUSEL_RUNTIME_SRC_CAPI_CAPIIMPL_H
#define CAROUSEL_RUNTIME_SRC_CAPI_CAPIIMPL_H

#include "carousel/Runtime/Fail.h"
#include "carousel/Runtime/Kernel.h"
#include "carousel/Runtime/Module.h"
#include "carousel/Runtime/Program.h"
#include "carousel_runtime.h"

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <type_traits>

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
struct carousel_code {
  carousel::runtime::CompiledCode code;
};
struct carousel_program {
  carousel::runtime::Program program;
};
struct carousel_prepared_program {
  carousel::runtime::PreparedProgram prepared;
};
struct carousel_module {
  carousel::runtime::Module module;
};

namespace carousel::runtime {

/// Keeps the message for carousel_last_error.
carousel_status report(const Error &error);

inline carousel_status report(const Status &status) {
  return status ? CAROUSEL_OK : report(status.error());
}

/// The arguments as the C++ interface takes them, valid until the thread's next
/// call; null where their number is wrong, which is reported there.
Result<const Argument *> convertArguments(const SignatureInfo &signature,
                                          const carousel_argument *arguments,
                                          size_t count);

/// Describes an argument that callers pass.
Status describeArgument(const SignatureInfo &signature, size_t argument,
                        carousel_argument_info *info);

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

/// Makes a call whose pointers are all there. It returns a Status or nothing.
template <typename Call>
carousel_status run(std::initializer_list<Required> pointers, Call call) {
  Status status = require(pointers);
  if constexpr (std::is_void_v<decltype(call())>) {
    if (status)
      call();
  } else if (status) {
    status = call();
  }
  return report(status);
}

/// The same for a call whose result becomes a handle.
template <typename Handle, typename Call>
carousel_status make(std::initializer_list<Required> pointers, Handle **handle,
                     Call call) {
  return run(pointers, [&]() -> Status {
    CAROUSEL_TRY_ASSIGN(auto made, call());
    *handle = new Handle{std::move(made)};
    return {};
  });
}

/// Requires 0, as a later version may use it. `name`: of the struct.
inline Status requireReserved(const char *name, int64_t value) {
  if (value == 0)
    return {};
  return fail(ErrorCode::InvalidArgument,
              "{}: expected 0 in the member 'reserved', got {}", name, value);
}

/// Bytes of a struct in the first version of the header, the fewest that a
/// caller has. This must not change when a struct grows.
template <typename Struct> constexpr size_t kFirstBytes = 0;
template <> inline constexpr size_t kFirstBytes<carousel_context_options> = 56;
template <> inline constexpr size_t kFirstBytes<carousel_device_info> = 296;
template <> inline constexpr size_t kFirstBytes<carousel_argument_info> = 168;
template <>
inline constexpr size_t kFirstBytes<carousel_tensor_map_format> = 168;
template <>
inline constexpr size_t kFirstBytes<carousel_tensor_map_source> = 88;
template <> inline constexpr size_t kFirstBytes<carousel_compile_options> = 64;
template <> inline constexpr size_t kFirstBytes<carousel_message> = 48;
template <> inline constexpr size_t kFirstBytes<carousel_launch_shape> = 48;
template <> inline constexpr size_t kFirstBytes<carousel_load_options> = 40;

/// Whether `size` can be that of the struct, in this header or another one.
template <typename Struct> Status checkSize(size_t size, const char *name) {
  static_assert(kFirstBytes<Struct> != 0 &&
                kFirstBytes<Struct> <= sizeof(Struct));
  constexpr size_t kMaxBytes = 4096; // else a size that wasn't set
  if (size >= kFirstBytes<Struct> && size <= kMaxBytes)
    return {};
  return fail(ErrorCode::InvalidArgument,
              "{}: expected a size of {} to {} bytes, got {}", name,
              kFirstBytes<Struct>, kMaxBytes, size);
}

/// Reads a struct of a caller whose header may be another one. Members that an
/// older one hasn't stay as they are in `to`; those of a newer one, unknown
/// here, must be zero.
template <typename Struct>
Status readStruct(const Struct *from, const char *name, Struct &to) {
  size_t size = from->size;
  CAROUSEL_TRY(checkSize<Struct>(size, name));
  const auto *bytes = reinterpret_cast<const char *>(from);
  for (size_t i = sizeof(Struct); i < size; ++i)
    if (bytes[i] != 0)
      return fail(ErrorCode::UnsupportedVersion,
                  "{}: expected members within the {} bytes that version {} "
                  "has, got one at byte {}",
                  name, sizeof(Struct), CAROUSEL_RUNTIME_VERSION, i);
  std::memcpy(&to, bytes, std::min(size, sizeof(Struct)));
  return {};
}

/// Writes the `size` bytes of a struct of such a caller.
template <typename Struct>
Status writeStruct(Struct value, const char *name, Struct *to) {
  size_t size = to->size;
  CAROUSEL_TRY(checkSize<Struct>(size, name));
  value.size = size;
  auto *bytes = reinterpret_cast<char *>(to);
  std::memcpy(bytes, &value, std::min(size, sizeof(Struct)));
  if (size > sizeof(Struct))
    std::memset(bytes + sizeof(Struct), 0, size - sizeof(Struct));
  return {};
}

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_CAPI_CAPIIMPL_H
