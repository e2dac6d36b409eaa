//===- Arguments.h - values of NAME=VALUE options ---------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads NAME=VALUE options against the signature of a kernel: files, generated
// tensors, numbers. Needs no device.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_SUPPORT_TENSORS_ARGUMENTS_H
#define CAROUSEL_TOOLS_SUPPORT_TENSORS_ARGUMENTS_H

#include "Npy.h"

#include "carousel/Runtime/Kernel.h"

#include <optional>

namespace carousel::tools {

/// The byte that memory holds where nothing was written to it.
inline constexpr uint8_t kUnwritten = 0xA5;

/// The value that a tensor is filled with.
struct TensorValue {
  enum class Kind { File, Empty, Zeros, Random, Iota };
  Kind kind = Kind::Empty;
  Layout layout;
  uint64_t seed = 0;           ///< Random
  uint64_t count = 0;          ///< Iota: 0, as many as the type can hold
  std::optional<NpyFile> file; ///< File
};

/// One argument of a launch, as the command line gives it.
struct ArgumentValue {
  TensorValue tensor;
  uint64_t scalar = 0; ///< as runtime::Argument::value
  /// The argument whose memory it is, if it has none of its own.
  std::optional<size_t> sameAs;
};

/// A NAME=VALUE option.
struct Assignment {
  std::string name, value;
};
/// `option` is "--arg", for messages.
Result<Assignment> parseAssignment(std::string_view text, const char *option);

/// Reads a number for a scalar argument: "12", "-0x10", "true", "1.5e3", "inf".
Result<uint64_t> parseScalar(std::string_view text, ElementType type);

/// Reads "x.npy", "empty:64x128", "zeros:SHAPE", "random:SHAPE",
/// "random:SHAPE:7", "iota:SHAPE", "iota:SHAPE:13". Files are opened and
/// checked, not read. An expected tensor can't be empty:.
enum class TensorUse { Argument, Expected };
Result<TensorValue> parseTensor(std::string_view text, ElementType type,
                                TensorUse use = TensorUse::Argument);

/// The values of all arguments of a kernel, in its order. Each must be given
/// once; "like:x" takes the layout of another one, "same:x" also its memory.
Result<std::vector<ArgumentValue>>
parseArguments(const runtime::SignatureInfo &kernel,
               const std::vector<std::string> &options);

/// The values as the runtime takes them; `addresses` has one for each tensor's
/// memory, anything for scalars. Valid while `values` are where they are.
std::vector<runtime::Argument>
makeArguments(const runtime::SignatureInfo &kernel,
              const std::vector<ArgumentValue> &values,
              const std::vector<uint64_t> &addresses);

/// Checks ranks, extents, strides and sizes against the kernel's, as a launch
/// would, before there is a device.
Status checkArguments(const runtime::SignatureInfo &kernel,
                      const std::vector<ArgumentValue> &values);

/// Sets the values of the kernel's workspaces, which follow from the others:
/// zeros.
Status addWorkspaces(const runtime::SignatureInfo &kernel,
                     int64_t multiprocessors,
                     std::vector<ArgumentValue> &values);

/// How many integers iota counts in the type before it begins again, which is
/// where the type can't hold the next one; 0: 2^64.
uint64_t getIotaCount(ElementType type);

/// The contents of a tensor; `layout.storage` elements. Numbers don't depend on
/// the layout or on the machine: element i, counted row-major, is
///  - iota: i modulo its count, which is what the type can hold if none is
///    given;
///  - random: floats from [-1, 1) rounded to the type, integers from their
///    whole range, f8E8M0FNU a power of two from 2^-8 to 2^7.
Result<HostBuffer> makeContents(const TensorValue &value, ElementType type,
                                Progress &progress);

} // namespace carousel::tools

#endif // CAROUSEL_TOOLS_SUPPORT_TENSORS_ARGUMENTS_H
