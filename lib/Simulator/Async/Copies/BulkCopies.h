//===- BulkCopies.h - issue of bulk copies ----------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Issues bulk copies, reductions and prefetches: checks the operands, makes an
// operation, and hands it to the engine.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_COPIES_BULKCOPIES_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_COPIES_BULKCOPIES_H

#include "CopyIssue.h"

namespace carousel::sim {

class BulkCopies {
public:
  explicit BulkCopies(const CopyIssue &issue) : issue(issue) {}

  void load(const void *global, void *shared, int64_t size, void *barrier,
            std::optional<uint16_t> multicast = {});
  void store(const void *shared, void *global, int64_t size,
             std::optional<uint16_t> byteMask = {});
  void copyCluster(const void *shared, void *remote, int64_t size,
                   void *barrier);
  void reduce(ReduceKind kind, ReduceType type, const void *shared,
              void *global, int64_t size);
  void reduceCluster(ReduceKind kind, ReduceType type, const void *shared,
                     void *remote, int64_t size, void *barrier);
  void prefetch(const void *global, int64_t size);

private:
  AsyncOperation &createStore(llvm::StringLiteral name, const void *shared,
                              void *global, int64_t size);
  AsyncOperation &createClusterCopy(llvm::StringLiteral name,
                                    const void *shared, void *remote,
                                    int64_t size);

  CopyIssue issue;
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_ASYNC_COPIES_BULKCOPIES_H
