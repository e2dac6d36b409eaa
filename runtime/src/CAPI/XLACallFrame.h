//===- XLACallFrame.h - XLA's foreign function interface --------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of the binary interface between XLA and its handlers that launches
// need, of version 0.3 (xla/ffi/api/c_api.h), so that a build needs no header
// of XLA's. Each struct starts with its size, by which XLA tells how many
// members it knows.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_CAPI_XLACALLFRAME_H
#define CAROUSEL_RUNTIME_SRC_CAPI_XLACALLFRAME_H

#include <cstddef>
#include <cstdint>

struct XLA_FFI_Error; // XLA's own

namespace carousel::runtime::xla {

struct Extension {
  size_t size;
  int32_t type;
  Extension *next;
};
constexpr int32_t kMetadataExtension = 1;

struct Version {
  size_t size;
  Extension *extensions;
  int32_t major, minor;
};

struct Metadata {
  size_t size;
  Version version;
  uint32_t traits;
};
constexpr uint32_t kRecordable = 1; ///< in a command buffer, a CUDA graph

struct MetadataExtension {
  Extension base;
  Metadata *metadata;
};

enum class ErrorCode : int32_t {
  InvalidArgument = 3,
  NotFound = 5,
  ResourceExhausted = 8,
  FailedPrecondition = 9,
  Internal = 13,
};

struct ErrorArguments {
  size_t size;
  Extension *extensions;
  const char *message;
  ErrorCode code;
};

struct DestroyArguments {
  size_t size;
  Extension *extensions;
  XLA_FFI_Error *error;
};

struct Context; // XLA's own, of a call

struct StreamArguments {
  size_t size;
  Extension *extensions;
  Context *context;
  void *stream; ///< set by XLA
};

struct DeviceArguments {
  size_t size;
  Extension *extensions;
  Context *context;
  int32_t device; ///< set by XLA
};

/// XLA's functions. Those that aren't called here have no type.
struct Functions {
  size_t size;
  Extension *extensions;
  Version version;
  const void *internal;
  XLA_FFI_Error *(*createError)(ErrorArguments *);
  const void *getMessage;
  void (*destroyError)(DestroyArguments *);
  const void *registerHandler;
  XLA_FFI_Error *(*getStream)(StreamArguments *);
  const void *others[12];
  XLA_FFI_Error *(*getDevice)(DeviceArguments *);
};

struct Buffer {
  size_t size;
  Extension *extensions;
  int32_t type; ///< of the elements
  void *data;
  int64_t rank;
  const int64_t *extents;
};
constexpr int32_t kBuffer = 1; ///< the only kind of arguments and results

/// Arguments or results.
struct Buffers {
  size_t size;
  Extension *extensions;
  int64_t count;
  const int32_t *kinds;
  void *const *values; ///< a Buffer each
};

struct Text {
  const char *data;
  size_t size;
};

struct Array {
  int32_t type;
  size_t size;
  const void *data;
};

enum class AttributeKind : int32_t { Array = 1, Text = 4 };

struct Attributes {
  size_t size;
  Extension *extensions;
  int64_t count;
  const AttributeKind *kinds;
  const Text *const *names;
  void *const *values; ///< an Array or a Text
};

struct CallFrame {
  size_t size;
  Extension *extensions;
  const Functions *functions;
  Context *context;
  int32_t stage;
  Buffers arguments, results;
  Attributes attributes;
};

static_assert(sizeof(void *) == 8 && sizeof(size_t) == 8);
static_assert(sizeof(Extension) == 24 && offsetof(Extension, next) == 16);
static_assert(offsetof(MetadataExtension, metadata) == 24);
static_assert(offsetof(Metadata, version) == 8 &&
              offsetof(Metadata, traits) == 32);
static_assert(offsetof(Functions, createError) == 48 &&
              offsetof(Functions, getStream) == 80 &&
              offsetof(Functions, getDevice) == 184);
static_assert(offsetof(ErrorArguments, code) == 24);
static_assert(offsetof(Functions, destroyError) == 64 &&
              offsetof(DestroyArguments, error) == 16);
static_assert(offsetof(StreamArguments, stream) == 24);
static_assert(offsetof(DeviceArguments, device) == 24);
static_assert(offsetof(Buffer, type) == 16 && offsetof(Buffer, data) == 24 &&
              offsetof(Buffer, extents) == 40);
static_assert(sizeof(Buffers) == 40 && sizeof(Attributes) == 48);
static_assert(offsetof(Array, data) == 16);
static_assert(offsetof(CallFrame, stage) == 32 &&
              offsetof(CallFrame, arguments) == 40 &&
              offsetof(CallFrame, attributes) == 120);

/// Unloads what calls have loaded, for tests.
void forgetCalls();

} // namespace carousel::runtime::xla

#endif // CAROUSEL_RUNTIME_SRC_CAPI_XLACALLFRAME_H
