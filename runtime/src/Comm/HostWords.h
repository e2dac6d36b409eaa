//===- HostWords.h - counters in memory of the host -------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Words of 64 bits that several processes and their GPUs share. The host reads
// and writes them without the driver, so that it can end a wait for one
// whatever the driver does. A GPU reaches them over PCIe.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_COMM_HOSTWORDS_H
#define CAROUSEL_RUNTIME_SRC_COMM_HOSTWORDS_H

#include "Context/ContextImpl.h"
#include "Support/FileDescriptor.h"

#include <atomic>

namespace carousel::runtime {

class HostWords {
public:
  using Word = std::atomic<uint64_t>;
  static_assert(sizeof(Word) == sizeof(uint64_t));

  /// New words of 0 that all contexts of the process reach, and a descriptor
  /// for other processes. The context must be current, here and below.
  static Result<std::shared_ptr<HostWords>>
  create(const std::shared_ptr<Context::Impl> &context, uint64_t count,
         std::shared_ptr<FileDescriptor> &file);
  /// Imports at least `count` words that another process created.
  static Result<std::shared_ptr<HostWords>>
  import(const std::shared_ptr<Context::Impl> &context, int file,
         uint64_t count);
  ~HostWords();
  HostWords(const HostWords &) = delete;
  HostWords &operator=(const HostWords &) = delete;

  Word *get(uint64_t index) const { return words + index; }
  /// Where the device of a context finds the first word.
  Result<uint64_t> getAddress(const Context::Impl &device) const;

private:
  explicit HostWords(std::shared_ptr<Context::Impl> context)
      : context(std::move(context)) {}
  Status map(int file, uint64_t count);

  std::shared_ptr<Context::Impl> context;
  Word *words = nullptr;
  size_t bytes = 0;
  bool isRegistered = false;
};

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_COMM_HOSTWORDS_H
