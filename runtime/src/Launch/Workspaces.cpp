//===- Workspaces.cpp - workspaces of kernels -----------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Workspaces.h.
//
//===----------------------------------------------------------------------===//

#include "Workspaces.h"

#include "Support/LRUCache.h"
#include "Support/ThreadLocal.h"

#include "carousel/Runtime/Fail.h"

#include <algorithm>
#include <atomic>

namespace carousel::runtime {

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

Result<uint64_t> getStreamId(Context::Impl &context, Stream stream) {
  CAROUSEL_TRY_ASSIGN(bool capturing, context.isCapturing(stream));
  if (capturing) {
    if (std::optional<uint64_t> known = context.streamIds.find(stream))
      return *known;
    return fail(
        ErrorCode::InvalidArgument,
        "expected a launch in the stream before it is captured, for the "
        "memory of its workspaces; or capture a prepared launch");
  }
  unsigned long long id = 0;
  CAROUSEL_TRY(context.check(context.driver->cuStreamGetId(stream, &id),
                             "cuStreamGetId"));
  context.streamIds.note(stream, id);
  return id;
}

Status FirstStream::check(Context::Impl &context, Stream stream,
                          const std::string &name) const {
  // A graph may run in any stream.
  CAROUSEL_TRY_ASSIGN(bool capturing, context.isCapturing(stream));
  if (capturing)
    return {};
  CAROUSEL_TRY_ASSIGN(uint64_t current, getStreamId(context, stream));
  uint64_t first = kNone;
  if (id.compare_exchange_strong(first, current, std::memory_order_relaxed) ||
      first == current)
    return {};
  return fail(ErrorCode::InvalidArgument,
              "expected '{}' to run in the stream that this launch ran in "
              "first, since it has workspaces; prepare a launch for each "
              "stream",
              name);
}

/// CU_STREAM_PER_THREAD is the handle of many streams.
static uint64_t getKey(Stream stream, uint64_t streamId) {
  return stream == CU_STREAM_PER_THREAD ? ~streamId
                                        : reinterpret_cast<uint64_t>(stream);
}

//===----------------------------------------------------------------------===//
// A thread's knowledge
//===----------------------------------------------------------------------===//

namespace {
struct WorkspaceKey {
  uint64_t table = 0, stream = 0;
  size_t argument = 0;

  bool operator==(const WorkspaceKey &other) const {
    return table == other.table && stream == other.stream &&
           argument == other.argument;
  }
  uint64_t getHash() const {
    return mixHash(mixHash(table, stream), uint64_t(argument));
  }
};

struct WorkspaceBlock {
  uint64_t address = 0, bytes = 0;
};
} // namespace

/// Blocks that the calling thread has used.
static LRUCache<WorkspaceKey, WorkspaceBlock> &getUsedBlocks() {
  static thread_local LRUCache<WorkspaceKey, WorkspaceBlock> blocks;
  return blocks;
}

//===----------------------------------------------------------------------===//
// WorkspaceTable
//===----------------------------------------------------------------------===//

WorkspaceTable::WorkspaceTable(const SignatureInfo &signature)
    : signature(&signature), first(signature.countPassed()) {
  static std::atomic<uint64_t> next = 1;
  id = next.fetch_add(1, std::memory_order_relaxed);
}

bool WorkspaceTable::lookup(uint64_t streamId, BoundArgument *bound) const {
  auto &used = getUsedBlocks();
  bool all = true;
  for (size_t i = first; i < signature->arguments.size(); ++i) {
    const WorkspaceBlock *block = used.lookup({id, streamId, i});
    bool fits = block && block->bytes >= bound[i].bytes;
    if (fits)
      bound[i].data = block->address;
    all &= fits;
  }
  return all;
}

Status WorkspaceTable::grow(const Context &context, Stream stream,
                            size_t argument, uint64_t bytes, Blocks &blocks) {
  const std::string &name = signature->arguments[argument].name;
  CAROUSEL_TRY_ASSIGN(bool capturing, context.getImpl().isCapturing(stream));
  if (capturing)
    return fail(ErrorCode::InvalidArgument,
                "{}: expected the memory of '{}' to be allocated before its "
                "stream is captured; launch it there before, or capture a "
                "prepared launch",
                name, signature->name);
  Block &latest = blocks.latest[argument - first];
  // So that what is kept stays below what is in use.
  bytes = std::max({bytes, 2 * latest.bytes, uint64_t(1)});
  CAROUSEL_TRY_ASSIGN(
      Buffer buffer, prefixError(Buffer::allocate(context, bytes), "{}", name));
  CAROUSEL_TRY(buffer.fill(0, stream));
  latest = {buffer.getAddress(), bytes};
  blocks.buffers.push_back(std::move(buffer));
  return {};
}

Status WorkspaceTable::provide(const Context &context, Stream stream,
                               uint64_t streamId, BoundArgument *bound) {
  std::lock_guard<std::mutex> lock(mutex);
  Blocks &blocks = streams[getKey(stream, streamId)];
  if (blocks.latest.empty() || blocks.streamId != streamId) {
    // Freeing waits for what the stream of before has left to do.
    blocks.buffers.clear();
    blocks.latest.assign(signature->arguments.size() - first, Block());
    blocks.streamId = streamId;
  }
  for (size_t i = first; i < signature->arguments.size(); ++i) {
    Block &block = blocks.latest[i - first];
    if (block.address == 0 || block.bytes < bound[i].bytes)
      CAROUSEL_TRY(grow(context, stream, i, bound[i].bytes, blocks));
    bound[i].data = block.address;
    getUsedBlocks().store({id, streamId, i}, {block.address, block.bytes});
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Prepared launches
//===----------------------------------------------------------------------===//

namespace {
/// A stream that waits for no other one.
class OwnStream {
public:
  explicit OwnStream(Context::Impl &context) : context(context) {}
  ~OwnStream() {
    if (stream)
      context.driver->cuStreamDestroy(stream);
  }
  Status create() {
    return context.check(
        context.driver->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING),
        "cuStreamCreate");
  }
  Stream get() const { return stream; }

private:
  Context::Impl &context;
  CUstream stream = nullptr;
};
} // namespace

Result<std::vector<Buffer>> allocateWorkspaces(const Context &context,
                                               const SignatureInfo &signature,
                                               BoundArgument *bound) {
  std::vector<Buffer> buffers;
  Context::Impl &impl = context.getImpl();
  RelaxedCapture relaxed(*impl.driver);
  OwnStream stream(impl);
  CAROUSEL_TRY(stream.create());
  for (size_t i = signature.countPassed(); i < signature.arguments.size();
       ++i) {
    CAROUSEL_TRY_ASSIGN(
        Buffer buffer,
        prefixError(
            Buffer::allocate(context, std::max<uint64_t>(bound[i].bytes, 1)),
            "{}", signature.arguments[i].name));
    bound[i].data = buffer.getAddress();
    CAROUSEL_TRY(buffer.fill(0, stream.get()));
    buffers.push_back(std::move(buffer));
  }
  CAROUSEL_TRY(impl.check(impl.driver->cuStreamSynchronize(stream.get()),
                          "cuStreamSynchronize"));
  return buffers;
}

} // namespace carousel::runtime
