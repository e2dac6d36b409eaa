//===- Mapping.h - memory that several processes map ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Physical memory of a GPU in a range of addresses. The driver counts who has
// it mapped: it stays until the last process unmaps it or ends.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_COMM_MAPPING_H
#define CAROUSEL_RUNTIME_SRC_COMM_MAPPING_H

#include "Context/ContextImpl.h"
#include "Support/FileDescriptor.h"

namespace carousel::runtime {

class Mapping {
public:
  /// New memory of the context's device, of at least `bytes`, that `devices`
  /// may read and write. `file`, unless null, receives a descriptor for other
  /// processes.
  static Result<std::shared_ptr<Mapping>>
  create(const std::shared_ptr<Context::Impl> &context, uint64_t bytes,
         const std::vector<CUdevice> &devices,
         std::shared_ptr<FileDescriptor> *file);
  /// Memory that another process created with exactly `bytes` (getBytes()).
  static Result<std::shared_ptr<Mapping>>
  import(const std::shared_ptr<Context::Impl> &context, int file,
         uint64_t bytes);
  ~Mapping();
  Mapping(const Mapping &) = delete;
  Mapping &operator=(const Mapping &) = delete;

  uint64_t getAddress() const { return address; }
  uint64_t getBytes() const { return bytes; }

private:
  explicit Mapping(std::shared_ptr<Context::Impl> context)
      : context(std::move(context)) {}
  Status map(CUmemGenericAllocationHandle handle,
             const std::vector<CUdevice> &devices);

  std::shared_ptr<Context::Impl> context;
  CUdeviceptr address = 0;
  uint64_t bytes = 0;
  bool isMapped = false;
};

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_COMM_MAPPING_H
