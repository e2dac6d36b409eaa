//===- Workspaces.h - workspaces of kernels ---------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Workspaces are zeroed when they are allocated and not changed afterwards.
// Launches in one stream share them, because they run one after the other.
// Launches in different streams don't. A thread finds the ones that it has used
// before without a lock and without allocating memory.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_LAUNCH_WORKSPACES_H
#define CAROUSEL_RUNTIME_SRC_LAUNCH_WORKSPACES_H

#include "Bind/Evaluate.h"
#include "Context/ContextImpl.h"

#include <atomic>
#include <map>
#include <mutex>

namespace carousel::runtime {

/// A number that no other stream of the process has or had. The context must be
/// current.
Result<uint64_t> getStreamId(Context::Impl &context, Stream stream);

/// Memory for all workspaces of a kernel, zeroed, that no stream has to wait
/// for; sets the addresses. The context must be current.
Result<std::vector<Buffer>> allocateWorkspaces(const Context &context,
                                               const SignatureInfo &signature,
                                               BoundArgument *bound);

/// The stream that a prepared launch ran in first. What has workspaces of its
/// own runs in no other.
class FirstStream {
public:
  FirstStream() = default;
  FirstStream(FirstStream &&) noexcept {} ///< before the first run
  /// `name`: of what runs. A stream that records a graph isn't noted.
  Status check(Context::Impl &context, Stream stream,
               const std::string &name) const;

private:
  static constexpr uint64_t kNone = UINT64_MAX;
  mutable std::atomic<uint64_t> id = kNone;
};

/// The streams' parts of a kernel's workspaces. Grows as launches need it, and
/// keeps what it had before: another thread may be about to launch with that.
class WorkspaceTable {
public:
  explicit WorkspaceTable(const SignatureInfo &signature);

  bool empty() const { return first == signature->arguments.size(); }

  /// Sets the addresses that this thread knows; false if one is missing.
  bool lookup(uint64_t streamId, BoundArgument *bound) const;
  /// Sets all addresses, and zeroes in the stream what it allocates. An error
  /// where it would have to for a stream that records a graph. The context must
  /// be current.
  Status provide(const Context &context, Stream stream, uint64_t streamId,
                 BoundArgument *bound);

private:
  struct Block {
    uint64_t address = 0, bytes = 0;
  };
  /// The blocks of one stream.
  struct Blocks {
    uint64_t streamId = 0;
    std::vector<Block> latest;   ///< of each workspace
    std::vector<Buffer> buffers; ///< all that there were
  };
  Status grow(const Context &context, Stream stream, size_t argument,
              uint64_t bytes, Blocks &blocks);

  const SignatureInfo *signature;
  size_t first; ///< argument that is a workspace
  uint64_t id;  ///< of this table, never given twice
  std::mutex mutex;
  /// By handle, since a handle that another stream gets means that the one that
  /// had it is gone.
  std::map<uint64_t, Blocks> streams;
};

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_LAUNCH_WORKSPACES_H
