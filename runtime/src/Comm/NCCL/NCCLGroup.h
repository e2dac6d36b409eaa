//===- NCCLGroup.h - ranks that NCCL connects -------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A communicator of NCCL, which may span machines. A fault ends it: NCCL has no
// other way to end an operation that a peer doesn't join.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_COMM_NCCL_NCCLGROUP_H
#define CAROUSEL_RUNTIME_SRC_COMM_NCCL_NCCLGROUP_H

#include "Context/ContextImpl.h"

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace carousel::runtime {

class NCCLGroup {
public:
  /// Collective. Fails after `timeout`; a thread of NCCL stays then.
  static Result<std::shared_ptr<NCCLGroup>>
  connect(const Context &context, std::string_view id, int rank, int size,
          std::chrono::milliseconds timeout);
  ~NCCLGroup();
  NCCLGroup(const NCCLGroup &) = delete;
  NCCLGroup &operator=(const NCCLGroup &) = delete;

  /// Collective: `bytes` at `own` of all ranks to `all`, in their order.
  Status gather(uint64_t own, uint64_t all, uint64_t bytes, Stream stream);
  Status send(int to, uint64_t source, uint64_t bytes, Stream stream);
  Status recv(int from, uint64_t target, uint64_t bytes, Stream stream);

  /// What went wrong in the background; empty if nothing did.
  std::string getFault() const;
  /// Ends all operations. Thread-safe.
  void abort();

private:
  NCCLGroup(const Context &context, const NCCLTable *table)
      : context(context), table(table) {}
  Status check(nccl::Status status, const char *call) const;
  /// Calls NCCL with the group, which abort() doesn't free meanwhile.
  template <typename Call> Status use(const char *name, Call call) const;

  Context context;
  const NCCLTable *table;
  mutable std::mutex mutex;
  mutable std::condition_variable changed;
  mutable unsigned users = 0; ///< calls of NCCL under way
  nccl::Group group = nullptr;
};

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_COMM_NCCL_NCCLGROUP_H
