//===- Npy.cpp - NumPy's file format --------------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Opens files with all sizes checked, and reads and writes them in pieces, so
// that files of any size work.
//
//===----------------------------------------------------------------------===//

#include "Npy.h"

#include "../Process/NewFile.h"

#include "carousel/Runtime/Fail.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace carousel;
using namespace carousel::tools;

//===----------------------------------------------------------------------===//
// Host memory for tensors
//===----------------------------------------------------------------------===//

// Anonymous pages: zeroed by the system, and only when they are touched.

runtime::Result<HostBuffer> HostBuffer::allocate(uint64_t bytes) {
  HostBuffer buffer;
  if (bytes == 0)
    return buffer;
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return runtime::fail(runtime::ErrorCode::IOError,
                         "cannot get {} bytes of host memory", bytes);
  buffer.data = static_cast<std::byte *>(memory);
  buffer.bytes = bytes;
  return buffer;
}

HostBuffer::~HostBuffer() {
  if (data)
    munmap(data, bytes);
}

//===----------------------------------------------------------------------===//
// NumPy's file format
//===----------------------------------------------------------------------===//

using runtime::ErrorCode;
using runtime::fail;

static constexpr uint64_t kPiece = 8 << 20;

static tl::unexpected<runtime::Error>
failSystem(const std::string &path, const char *what,
           ErrorCode code = ErrorCode::IOError) {
  return fail(code, "{}: cannot {}: {}", path, what, std::strerror(errno));
}

/// Bytes read; fewer than asked for at the end of the file only.
static ssize_t readAt(int descriptor, void *data, uint64_t count,
                      uint64_t offset) {
  uint64_t done = 0;
  while (done < count) {
    ssize_t got = pread(descriptor, static_cast<char *>(data) + done,
                        count - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return -1;
    if (got == 0)
      break;
    done += static_cast<uint64_t>(got);
  }
  return static_cast<ssize_t>(done);
}

NpyFile::NpyFile(NpyFile &&other) noexcept { *this = std::move(other); }

NpyFile &NpyFile::operator=(NpyFile &&other) noexcept {
  std::swap(path, other.path);
  std::swap(type, other.type);
  std::swap(layout, other.layout);
  std::swap(descriptor, other.descriptor);
  std::swap(dataOffset, other.dataOffset);
  std::swap(bytes, other.bytes);
  return *this;
}

NpyFile::~NpyFile() {
  if (descriptor >= 0)
    close(descriptor);
}

Result<NpyFile> NpyFile::open(const std::string &path, ElementType type) {
  NpyFile file;
  file.path = path;
  file.type = type;
  // Not blocking, so that a pipe without a writer is refused and not waited
  // for.
  file.descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file.descriptor < 0)
    return failSystem(path, "open", ErrorCode::NotFound);
  struct stat info;
  if (fstat(file.descriptor, &info) != 0)
    return failSystem(path, "open");
  if (!S_ISREG(info.st_mode))
    return fail(ErrorCode::InvalidArgument,
                "{}: expected a regular file, got {}", path,
                S_ISDIR(info.st_mode) ? "a directory" : "a pipe or device");

  auto size = static_cast<uint64_t>(info.st_size);
  std::string start(std::min<uint64_t>(size, 12 + kMaxNpyHeader), '\0');
  ssize_t got = readAt(file.descriptor, start.data(), start.size(), 0);
  if (got < 0)
    return failSystem(path, "read");
  start.resize(static_cast<size_t>(got));
  auto header = parseNpyHeader(start);
  if (!header)
    return fail(ErrorCode::InvalidArgument, "{}: {}", path,
                header.error().message);
  if (Status status = checkNpyType(header->descr, type); !status)
    return fail(ErrorCode::InvalidArgument, "{}: {}", path,
                status.error().message);
  auto layout = header->fortranOrder
                    ? Layout::columnMajor(std::move(header->shape))
                    : Layout::rowMajor(std::move(header->shape));
  if (!layout)
    return fail(ErrorCode::InvalidArgument, "{}: {}", path,
                layout.error().message);
  file.bytes = layout->elements * runtime::getBytes(type);
  if (size - header->dataOffset != file.bytes)
    return fail(ErrorCode::InvalidArgument,
                "{}: expected {} bytes of data for the shape {}, got {}", path,
                file.bytes, formatShape(layout->extents),
                size - header->dataOffset);
  file.layout = std::move(*layout);
  file.dataOffset = header->dataOffset;
  return file;
}

Result<HostBuffer> NpyFile::read(Progress &progress) const {
  CAROUSEL_TRY_ASSIGN(auto buffer, HostBuffer::allocate(bytes));
  for (uint64_t at = 0; at < bytes; at += kPiece) {
    uint64_t count = std::min(kPiece, bytes - at);
    ssize_t got =
        readAt(descriptor, buffer.getData() + at, count, dataOffset + at);
    if (got < 0)
      return failSystem(path, "read");
    if (static_cast<uint64_t>(got) != count)
      return fail(ErrorCode::IOError,
                  "{}: expected {} bytes of data, got a file that was cut to "
                  "{} while it was read",
                  path, bytes, at + static_cast<uint64_t>(got));
    progress.advance(count);
  }
  if (type == ElementType::I1)
    for (uint64_t at = 0; at < bytes; ++at)
      if (auto value = std::to_integer<unsigned>(buffer.getData()[at]);
          value > 1)
        return fail(ErrorCode::InvalidArgument,
                    "{}: expected bool data to be 0 or 1, got {} at byte {}",
                    path, value, at);
  return buffer;
}

Status tools::checkWritable(const std::string &path) {
  struct stat info;
  bool there = stat(path.c_str(), &info) == 0;
  if (there && S_ISDIR(info.st_mode))
    return fail(ErrorCode::InvalidArgument,
                "{}: expected the name of a file, got a directory", path);
  // A regular file is replaced, which takes the right to change its directory.
  size_t slash = path.rfind('/');
  std::string target =
      slash == std::string::npos ? "." : path.substr(0, slash + 1);
  if (there && !S_ISREG(info.st_mode))
    target = path;
  if (access(target.c_str(), W_OK) != 0)
    return failSystem(path, "write", ErrorCode::InvalidArgument);
  return {};
}

static std::string makeHeader(ElementType type,
                              const std::vector<int64_t> &extents,
                              bool fortranOrder) {
  std::string shape = fmt::format("{}", fmt::join(extents, ", "));
  if (extents.size() == 1)
    shape += ",";
  std::string text =
      fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': ({}), }}",
                  getNpyType(type), fortranOrder ? "True" : "False", shape);
  // Data starts at a multiple of 64, as NumPy does it for memory maps.
  size_t length = (10 + text.size() + 1 + 63) / 64 * 64 - 10;
  text.resize(length - 1, ' ');
  text += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(length & 0xFF);
  header += static_cast<char>(length >> 8);
  return header + text;
}

/// Writes the elements of a tensor with gaps or another order, row-major.
static Status writeGathered(NewFile &file, ElementType type,
                            const Layout &layout, const std::byte *data,
                            Progress &progress) {
  size_t size = runtime::getBytes(type), rank = layout.extents.size();
  std::vector<int64_t> index(rank, 0);
  std::string piece;
  for (uint64_t n = 0; n < layout.elements; ++n) {
    int64_t offset = 0;
    for (size_t d = 0; d < rank; ++d)
      offset += index[d] * layout.strides[d];
    piece.append(reinterpret_cast<const char *>(data) + offset * size, size);
    for (size_t d = rank; d-- > 0 && ++index[d] == layout.extents[d];)
      index[d] = 0;
    if (piece.size() >= kPiece || n + 1 == layout.elements) {
      CAROUSEL_TRY(file.write(piece.data(), piece.size()));
      progress.advance(piece.size());
      piece.clear();
    }
  }
  return {};
}

Status tools::writeNpy(const std::string &path, ElementType type,
                       const Layout &layout, const std::byte *data,
                       Progress &progress) {
  // The layout that the file would be read back with decides.
  auto fortran = Layout::columnMajor(layout.extents);
  bool rowMajor = layout.isRowMajor();
  bool columnMajor = !rowMajor && fortran && *fortran == layout;
  NewFile file(path);
  CAROUSEL_TRY(file.create());
  std::string header = makeHeader(type, layout.extents, columnMajor);
  CAROUSEL_TRY(file.write(header.data(), header.size()));
  if (!rowMajor && !columnMajor) {
    CAROUSEL_TRY(writeGathered(file, type, layout, data, progress));
    return file.finish();
  }
  uint64_t bytes = layout.elements * runtime::getBytes(type);
  for (uint64_t at = 0; at < bytes; at += kPiece) {
    uint64_t count = std::min(kPiece, bytes - at);
    CAROUSEL_TRY(file.write(data + at, count));
    progress.advance(count);
  }
  return file.finish();
}
