//===- WaitRecord.h - the record of a wait past its bound -------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Host memory to which a kernel with bounded waits writes the number of the
// wait that exceeded its bound, before it traps (docs/KernelABI.md). Device
// memory isn't accessible after a trap.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_CONTEXT_WAITRECORD_H
#define CAROUSEL_RUNTIME_SRC_CONTEXT_WAITRECORD_H

#include "ContextImpl.h"

#include "carousel/Runtime/Package.h"

namespace carousel::runtime {

class WaitRecord {
public:
  /// Makes a record and tells `loaded`, the module number `index` of the
  /// package, where it is. Null where its waits have no bound. The context must
  /// be current.
  static Result<std::shared_ptr<WaitRecord>> attach(const Context &context,
                                                    const Package &package,
                                                    uint32_t index,
                                                    CUmodule loaded);
  ~WaitRecord();
  WaitRecord(const WaitRecord &) = delete;
  WaitRecord &operator=(const WaitRecord &) = delete;

  /// Describes which thread of which kernel waited too long, and for what;
  /// empty if none did.
  std::string describe() const;

private:
  WaitRecord(const Context &context, const Package &package, uint32_t index)
      : context(context.share()), package(package), index(index) {}
  Status allocate(CUdeviceptr &address);
  Status publish(CUdeviceptr symbol, CUdeviceptr address);

  /// Weak: the context knows its records.
  std::weak_ptr<Context::Impl> context;
  Package package;
  uint32_t index;
  const uint32_t *words = nullptr;
};

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_CONTEXT_WAITRECORD_H
