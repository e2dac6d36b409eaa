//===- Npy.h - NumPy's file format ------------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads .npy files of format 1.0, 2.0 and 3.0 and writes 1.0: one array of a
// simple type, little-endian, in C or Fortran order. NumPy has no bf16 and no
// fp8; docs/Runtime.md lists the types that hold their bits.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_SUPPORT_TENSORS_NPY_H
#define CAROUSEL_TOOLS_SUPPORT_TENSORS_NPY_H

#include "../Process/Progress.h"
#include "Layout.h"

#include "carousel/Runtime/Error.h"

#include <cstddef>
#include <utility>

namespace carousel::tools {

/// Memory of the size of a tensor. If there is too little, that is an error;
/// with a std::vector the program would end.
class HostBuffer {
public:
  HostBuffer() = default;
  /// Zeroed memory.
  static runtime::Result<HostBuffer> allocate(uint64_t bytes);
  HostBuffer(HostBuffer &&other) noexcept
      : data(std::exchange(other.data, nullptr)),
        bytes(std::exchange(other.bytes, 0)) {}
  HostBuffer &operator=(HostBuffer &&other) noexcept {
    std::swap(data, other.data);
    std::swap(bytes, other.bytes);
    return *this;
  }
  ~HostBuffer();

  std::byte *getData() { return data; }
  const std::byte *getData() const { return data; }
  uint64_t getBytes() const { return bytes; }

private:
  std::byte *data = nullptr;
  uint64_t bytes = 0;
};

/// The most bytes of a header's text; NumPy's own limit for files that aren't
/// trusted is 10,000.
inline constexpr size_t kMaxNpyHeader = 65536;

struct NpyHeader {
  std::string descr; ///< "<f4"
  bool fortranOrder = false;
  std::vector<int64_t> shape;
  uint64_t dataOffset = 0;
};

/// Reads the header at the start of a file. `start` is the whole file or at
/// least its first 12 + kMaxNpyHeader bytes.
Result<NpyHeader> parseNpyHeader(std::string_view start);

/// Whether an array of this type can hold elements of `type`; if not, the
/// error says which types can.
Status checkNpyType(std::string_view descr, ElementType type);

/// The type under which elements are written: "<f4"; "<u2" for bf16, "|u1" for
/// the 8-bit floats.
const char *getNpyType(ElementType type);

/// An .npy file that was found to hold elements of a type, and nothing else.
class NpyFile {
public:
  static Result<NpyFile> open(const std::string &path, ElementType type);
  NpyFile(NpyFile &&other) noexcept;
  NpyFile &operator=(NpyFile &&other) noexcept;
  ~NpyFile();

  const Layout &getLayout() const { return layout; }
  uint64_t getBytes() const { return bytes; }
  /// All elements, as they lie in the file.
  Result<HostBuffer> read(Progress &progress) const;

private:
  NpyFile() = default;
  std::string path;
  ElementType type = ElementType::F32;
  Layout layout;
  int descriptor = -1;
  uint64_t dataOffset = 0, bytes = 0;
};

/// Whether a file of that name can be made, as far as can be known before.
Status checkWritable(const std::string &path);

/// Writes a tensor. A file of that name is replaced when the new one is
/// complete.
Status writeNpy(const std::string &path, ElementType type, const Layout &layout,
                const std::byte *data, Progress &progress);

} // namespace carousel::tools

#endif // CAROUSEL_TOOLS_SUPPORT_TENSORS_NPY_H
