//===- SymmetricBuffer.cpp - transfers between ranks ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks the arguments of puts, gets, signals and waits, and hands them to a
// transport or to the driver's memory operations.
//
//===----------------------------------------------------------------------===//

#include "SymmetricImpl.h"

#include "Support/Process.h"

#include "carousel/Runtime/Fail.h"

#include <utility>

namespace carousel::runtime {

//===----------------------------------------------------------------------===//
// SymmetricBuffer::Impl
//===----------------------------------------------------------------------===//

SymmetricBuffer::Impl::~Impl() {
  if (isForkedFromUser())
    return;
  ranges.reset();
  // No work may write to a counter when its memory is unmapped.
  Context::Impl &context = group.context.getImpl();
  CurrentContext current(context);
  RelaxedCapture relaxed(*context.driver);
  if (current.getStatus())
    (void)context.driver->cuCtxSynchronize();
  if (counters[group.getRank()])
    group.waits.forget(counters[group.getRank()],
                       uint64_t(8) * signals * group.getSize());
}

void SymmetricBuffer::Impl::registerRanges() {
  Context::Impl &context = group.context.getImpl();
  std::vector<SymmetricRange> list;
  for (int rank = 0; rank < group.getSize(); ++rank) {
    SymmetricRange range;
    range.context = context.context;
    range.owner = &context;
    range.rank = rank;
    range.isOwn = rank == group.getRank();
    range.isPeer = !range.isOwn || group.getSize() == 1;
    range.begin = addresses[rank];
    range.end = range.begin + bytes;
    list.push_back(range);
    range.begin = counters[rank];
    range.end = range.begin + uint64_t(8) * signals * uint64_t(group.getSize());
    if (range.begin != range.end)
      list.push_back(range);
  }
  ranges = RegisteredRanges(std::move(list));
}

HostWords::Word *SymmetricBuffer::Impl::getWord(int from,
                                                uint32_t signal) const {
  if (words.empty() || !words[group.getRank()])
    return nullptr;
  return words[group.getRank()]->get(uint64_t(from) * signals + signal);
}

Status SymmetricBuffer::Impl::checkRange(uint64_t offset,
                                         uint64_t count) const {
  if (offset > bytes)
    return fail(ErrorCode::InvalidArgument,
                "offset: expected at most {} bytes, got {}", bytes, offset);
  if (count > bytes - offset)
    return fail(ErrorCode::InvalidArgument,
                "bytes: expected at most {} at offset {} of a symmetric buffer "
                "of {}, got {}",
                bytes - offset, offset, bytes, count);
  return {};
}

Status SymmetricBuffer::Impl::checkSignal(uint32_t signal,
                                          uint64_t value) const {
  if (signal >= signals)
    return fail(ErrorCode::InvalidArgument,
                "signal: expected a number below {}, got {}", signals, signal);
  if (value > kMaxSignal)
    return fail(ErrorCode::InvalidArgument,
                "value: expected a number below 2^62, got {}", value);
  return {};
}

/// Memory of a GPU, or of the host where the GPU reaches it. The context must
/// be current.
static Status checkLocal(Context::Impl &context, const char *name,
                         uint64_t address) {
  unsigned type = 0;
  if (address != 0 &&
      context.driver->cuPointerGetAttribute(
          &type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address) == CUDA_SUCCESS)
    return {};
  return fail(ErrorCode::InvalidArgument,
              "{}: expected an address of device memory, got 0x{:x}", name,
              address);
}

Status SymmetricBuffer::Impl::checkTransfer(int rank, const char *argument,
                                            uint64_t offset, uint64_t local,
                                            const char *localName,
                                            uint64_t count) const {
  CAROUSEL_TRY(group.checkRank(rank, argument));
  CAROUSEL_TRY(checkRange(offset, count));
  if (count == 0)
    return {};
  return checkLocal(group.context.getImpl(), localName, local);
}

Status SymmetricBuffer::Impl::setSignal(int to, uint32_t signal, uint64_t value,
                                        Stream stream) const {
  Context::Impl &context = group.context.getImpl();
  CUstreamBatchMemOpParams write = {};
  write.writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_64;
  write.writeValue.address = getCounter(to, group.getRank(), signal);
  write.writeValue.value64 = value;
  return context.check(context.driver->cuStreamBatchMemOp(stream, 1, &write, 0),
                       "cuStreamBatchMemOp");
}

//===----------------------------------------------------------------------===//
// SymmetricBuffer
//===----------------------------------------------------------------------===//

SymmetricBuffer::SymmetricBuffer(std::shared_ptr<Impl> impl)
    : impl(std::move(impl)) {}
SymmetricBuffer::SymmetricBuffer(SymmetricBuffer &&other) noexcept = default;
SymmetricBuffer &
SymmetricBuffer::operator=(SymmetricBuffer &&other) noexcept = default;
SymmetricBuffer::~SymmetricBuffer() = default;

Result<SymmetricBuffer>
SymmetricBuffer::allocate(const Comm &comm, uint64_t bytes,
                          const SymmetricOptions &options) noexcept {
  CAROUSEL_TRY(checkProcess());
  CAROUSEL_TRY(comm.impl->requireOneMachine());
  std::lock_guard<std::mutex> lock(comm.impl->collective);
  Allocation allocation(*comm.impl, comm.impl, bytes, options);
  allocation.offer();
  allocation.map();
  CAROUSEL_TRY_ASSIGN(std::shared_ptr<Impl> made, allocation.finish());
  return SymmetricBuffer(std::move(made));
}

Result<std::vector<SymmetricBuffer>>
SymmetricBuffer::allocateAll(const std::vector<Comm> &comms, uint64_t bytes,
                             const SymmetricOptions &options) noexcept {
  CAROUSEL_TRY(checkProcess());
  for (size_t rank = 0; rank < comms.size(); ++rank)
    if (comms[rank].getRank() != static_cast<int>(rank) ||
        comms[rank].getSize() != static_cast<int>(comms.size()))
      return fail(ErrorCode::InvalidArgument,
                  "comms: expected all ranks of a group in their order, got "
                  "rank {} of {} at {} of {}",
                  comms[rank].getRank(), comms[rank].getSize(), rank,
                  comms.size());
  std::vector<std::unique_lock<std::mutex>> locks;
  std::vector<Allocation> allocations;
  for (const Comm &comm : comms) {
    locks.emplace_back(comm.impl->collective);
    allocations.emplace_back(*comm.impl, comm.impl, bytes, options);
  }
  for (Allocation &allocation : allocations)
    allocation.offer();
  for (Allocation &allocation : allocations)
    allocation.map();
  std::vector<SymmetricBuffer> buffers;
  std::optional<Error> error;
  bool isKnown = false;
  for (Allocation &allocation : allocations) {
    bool isOrigin = allocation.hasFailed();
    Result<std::shared_ptr<Impl>> made = allocation.finish();
    if (made)
      buffers.push_back(SymmetricBuffer(std::move(*made)));
    else if (!error || (isOrigin && !isKnown)) // others say that it failed
      error = std::move(made.error());
    isKnown |= isOrigin;
  }
  if (error)
    return tl::make_unexpected(std::move(*error));
  return buffers;
}

Result<SymmetricBuffer>
SymmetricBuffer::adopt(const Comm &comm, const std::vector<uint64_t> &addresses,
                       uint64_t bytes, const std::vector<uint64_t> &signals,
                       const SymmetricOptions &options) noexcept {
  Comm::Impl &group = *comm.impl;
  CurrentContext current(group.context.getImpl());
  CAROUSEL_TRY(current.getStatus());
  auto checkList = [&](const char *name, const std::vector<uint64_t> &list,
                       uint64_t alignment) -> Status {
    if (list.size() != static_cast<size_t>(group.getSize()))
      return fail(ErrorCode::InvalidArgument,
                  "{}: expected an address for each of {} ranks, got {}", name,
                  group.getSize(), list.size());
    for (size_t rank = 0; rank < list.size(); ++rank) {
      CAROUSEL_TRY(checkLocal(group.context.getImpl(),
                              fmt::format("{}[{}]", name, rank).c_str(),
                              list[rank]));
      if (list[rank] % alignment != 0)
        return fail(ErrorCode::InvalidArgument,
                    "{}[{}]: expected a multiple of {} bytes, got 0x{:x}", name,
                    rank, alignment, list[rank]);
      for (size_t other = 0; other < rank; ++other)
        if (list[other] == list[rank])
          return fail(ErrorCode::InvalidArgument,
                      "{}[{}]: expected memory of its own for each rank, got "
                      "that of rank {}: the buffer isn't symmetric",
                      name, rank, other);
    }
    return {};
  };
  CAROUSEL_TRY(checkList("addresses", addresses, 1));
  if (!signals.empty())
    CAROUSEL_TRY(checkList("signals", signals, 8));
  auto impl = std::make_shared<Impl>(group, comm.impl);
  impl->bytes = bytes;
  impl->signals = signals.empty() ? 0 : options.signals;
  impl->addresses = addresses;
  impl->counters = signals;
  impl->counters.resize(group.getSize());
  impl->registerRanges();
  return SymmetricBuffer(std::move(impl));
}

uint64_t SymmetricBuffer::getBytes() const noexcept { return impl->bytes; }

uint64_t SymmetricBuffer::getAddress(int rank) const noexcept {
  return impl->group.checkRank(rank, "rank") ? impl->addresses[rank] : 0;
}

uint64_t SymmetricBuffer::getSignalAddress(int at, int from,
                                           uint32_t signal) const noexcept {
  bool isThere = impl->group.checkRank(at, "at") &&
                 impl->group.checkRank(from, "from") && signal < impl->signals;
  return isThere ? impl->getCounter(at, from, signal) : 0;
}

Result<Copy> SymmetricBuffer::Impl::makeCopy(const Side &side, int rank,
                                             uint64_t offset, uint64_t local,
                                             uint64_t bytes) const {
  CAROUSEL_TRY(
      checkTransfer(rank, side.rank, offset, local, side.memory, bytes));
  CAROUSEL_TRY(group.peers->requireAlive(rank, side.rank));
  Copy copy;
  copy.bytes = bytes;
  copy.isGet = !side.isOut;
  copy.target = side.isOut ? addresses[rank] + offset : local;
  copy.source = side.isOut ? local : addresses[rank] + offset;
  return copy;
}

Status SymmetricBuffer::Impl::copy(const Side &side, int rank, uint64_t offset,
                                   uint64_t local, uint64_t bytes,
                                   Stream stream,
                                   const TransferOptions &options,
                                   bool isSignalled) const {
  CurrentContext current(group.context.getImpl());
  CAROUSEL_TRY(current.getStatus());
  CAROUSEL_TRY_ASSIGN(Copy copy, makeCopy(side, rank, offset, local, bytes));
  copy.isSignalled = isSignalled;
  return group.transports.copy(copy, group.routes[rank], options, stream);
}

Result<std::string>
SymmetricBuffer::Impl::explain(const Side &side, int rank, uint64_t offset,
                               uint64_t local, uint64_t bytes, Stream stream,
                               const TransferOptions &options) const {
  CurrentContext current(group.context.getImpl());
  CAROUSEL_TRY(current.getStatus());
  CAROUSEL_TRY_ASSIGN(Copy copy, makeCopy(side, rank, offset, local, bytes));
  return group.transports.explain(copy, group.routes[rank], options, stream);
}

Status SymmetricBuffer::put(int to, uint64_t offset, uint64_t source,
                            uint64_t bytes, Stream stream,
                            const TransferOptions &options) const noexcept {
  return impl->copy(kOut, to, offset, source, bytes, stream, options);
}

Status SymmetricBuffer::get(int from, uint64_t offset, uint64_t target,
                            uint64_t bytes, Stream stream,
                            const TransferOptions &options) const noexcept {
  return impl->copy(kIn, from, offset, target, bytes, stream, options);
}

Result<std::string>
SymmetricBuffer::explainPut(int to, uint64_t offset, uint64_t source,
                            uint64_t bytes, Stream stream,
                            const TransferOptions &options) const noexcept {
  return impl->explain(kOut, to, offset, source, bytes, stream, options);
}

Result<std::string>
SymmetricBuffer::explainGet(int from, uint64_t offset, uint64_t target,
                            uint64_t bytes, Stream stream,
                            const TransferOptions &options) const noexcept {
  return impl->explain(kIn, from, offset, target, bytes, stream, options);
}

Status SymmetricBuffer::putAdd(int to, uint64_t offset, uint64_t source,
                               uint64_t count, ElementType element,
                               Stream stream, int ctas) const noexcept {
  Comm::Impl &group = impl->group;
  CurrentContext current(group.context.getImpl());
  CAROUSEL_TRY(current.getStatus());
  if (element != ElementType::F32 && element != ElementType::F16 &&
      element != ElementType::BF16 && element != ElementType::I32)
    return fail(ErrorCode::InvalidArgument,
                "element: expected f32, f16, bf16 or i32, got {}",
                runtime::toString(element));
  uint64_t width = runtime::getBytes(element);
  if (count > UINT64_MAX / width)
    return fail(ErrorCode::InvalidArgument,
                "count: expected fewer than 2^62 elements, got {}", count);
  CAROUSEL_TRY(
      impl->checkTransfer(to, "to", offset, source, "source", count * width));
  CAROUSEL_TRY(group.peers->requireAlive(to, "to"));
  uint64_t target = impl->addresses[to] + offset;
  if (source % width != 0)
    return fail(ErrorCode::InvalidArgument,
                "source: expected a multiple of {} bytes, got 0x{:x}", width,
                source);
  if (target % width != 0)
    return fail(ErrorCode::InvalidArgument,
                "offset: expected a target at a multiple of {} bytes, got "
                "0x{:x}",
                width, target);
  if (count == 0)
    return {};
  return group.transports.add({target, source, count * width, ctas}, element,
                              stream);
}

Status SymmetricBuffer::signal(int to, uint32_t signal, uint64_t value,
                               Stream stream) const noexcept {
  Comm::Impl &group = impl->group;
  CurrentContext current(group.context.getImpl());
  CAROUSEL_TRY(current.getStatus());
  CAROUSEL_TRY(group.checkRank(to, "to"));
  CAROUSEL_TRY(group.peers->requireAlive(to, "to"));
  CAROUSEL_TRY(impl->checkSignal(signal, value));
  return impl->setSignal(to, signal, value, stream);
}

Status
SymmetricBuffer::putSignal(int to, uint64_t offset, uint64_t source,
                           uint64_t bytes, uint32_t signal, uint64_t value,
                           Stream stream,
                           const TransferOptions &options) const noexcept {
  // A wrong signal is refused before the copy.
  CAROUSEL_TRY(impl->checkSignal(signal, value));
  CAROUSEL_TRY(impl->copy(kOut, to, offset, source, bytes, stream, options,
                          /*isSignalled=*/true));
  return this->signal(to, signal, value, stream);
}

Status SymmetricBuffer::wait(int from, uint32_t signal, uint64_t value,
                             Stream stream,
                             const WaitOptions &options) const noexcept {
  Comm::Impl &group = impl->group;
  CurrentContext current(group.context.getImpl());
  CAROUSEL_TRY(current.getStatus());
  CAROUSEL_TRY(group.checkRank(from, "from"));
  CAROUSEL_TRY(impl->checkSignal(signal, value));
  if (options.timeout.count() < 0)
    return fail(ErrorCode::InvalidArgument,
                "timeout: expected at least 0 ms, got {} ms",
                options.timeout.count());
  if (options.timeout > kMaxTimeout)
    return fail(ErrorCode::InvalidArgument,
                "timeout: expected at most 2^40 ms, got {} ms",
                options.timeout.count());
  // A rank that is gone may have signalled before.
  Wait wait;
  wait.from = from;
  wait.signal = signal;
  wait.address = impl->getCounter(group.getRank(), from, signal);
  wait.word = impl->getWord(from, signal);
  wait.value = value;
  wait.isEqual = options.isEqual;
  if (options.reset)
    wait.after = 0;
  wait.timeout =
      options.timeout.count() > 0 ? options.timeout : group.options.timeout;
  return group.enqueueWait(wait, stream);
}

} // namespace carousel::runtime
