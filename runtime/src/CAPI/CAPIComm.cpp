//===- CAPIComm.cpp - groups of ranks in the C interface ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CAPIImpl.h"
#include "Support/ThreadLocal.h"

#include "carousel/Runtime/Comm.h"
#include "carousel_comm.h"

using namespace carousel::runtime;

struct carousel_comm {
  Comm comm;
};
struct carousel_symmetric {
  SymmetricBuffer buffer;
};

template <>
inline constexpr size_t carousel::runtime::kFirstBytes<carousel_comm_options> =
    56;

static_assert(CAROUSEL_TRANSPORT_AUTO == int(TransportKind::Auto) &&
              CAROUSEL_TRANSPORT_COPY_ENGINE ==
                  int(TransportKind::CopyEngine) &&
              CAROUSEL_TRANSPORT_TMA == int(TransportKind::TMA) &&
              CAROUSEL_TRANSPORT_NCCL == int(TransportKind::NCCL) &&
              CAROUSEL_PEER_ALIVE == int(PeerState::Alive) &&
              CAROUSEL_PEER_LEFT == int(PeerState::Left) &&
              CAROUSEL_PEER_DIED == int(PeerState::Died));

void carousel_comm_options_init(carousel_comm_options *options,
                                size_t size) noexcept {
  if (!options || !checkSize<carousel_comm_options>(size, "size"))
    return;
  CommOptions defaults;
  carousel_comm_options result = {};
  result.rank = defaults.rank;
  result.ranks = defaults.size;
  result.timeout_ms = static_cast<uint64_t>(defaults.timeout.count());
  result.mailbox_bytes = defaults.mailboxBytes;
  options->size = size;
  (void)writeStruct(result, "options", options);
}

/// A number of milliseconds that a clock can add.
static Result<std::chrono::milliseconds> convertTimeout(uint64_t ms) {
  constexpr uint64_t kMost = uint64_t(1) << 40;
  if (ms <= kMost)
    return std::chrono::milliseconds(ms);
  return fail(ErrorCode::InvalidArgument,
              "timeout_ms: expected at most 2^40, got {}", ms);
}

static Result<CommOptions> convert(const carousel_comm_options *options) {
  CommOptions wanted;
  if (!options)
    return wanted;
  carousel_comm_options given;
  carousel_comm_options_init(&given, sizeof(given));
  CAROUSEL_TRY(readStruct(options, "options", given));
  auto text = [](const char *from) { return std::string(from ? from : ""); };
  CAROUSEL_TRY_ASSIGN(std::chrono::milliseconds timeout,
                      convertTimeout(given.timeout_ms));
  wanted.rank = given.rank;
  wanted.size = given.ranks;
  wanted.session = text(given.session);
  wanted.timeout = timeout;
  wanted.mailboxBytes = given.mailbox_bytes;
  wanted.transportPackage = text(given.transport_package);
  wanted.transportTable = text(given.transport_table);
  if (given.nccl_id)
    wanted.ncclId.assign(static_cast<const char *>(given.nccl_id),
                         CAROUSEL_NCCL_ID_BYTES);
  wanted.allowMulticast = given.allow_multicast != 0;
  wanted.hostSignals = given.host_signals != 0;
  return wanted;
}

namespace {

/// Makes a call whose result becomes a list of handles.
template <typename Handle, typename Call>
carousel_status makeAll(std::initializer_list<Required> pointers,
                        Handle **handles, Call call) {
  return run(pointers, [&]() -> Status {
    CAROUSEL_TRY_ASSIGN(auto made, call());
    for (auto &object : made)
      *handles++ = new Handle{std::move(object)};
    return {};
  });
}

/// The C++ objects of handles.
template <typename Object, typename Handle>
Result<std::vector<Object>> getObjects(const Handle *const *handles,
                                       size_t count, const char *name,
                                       Object Handle::*member) {
  std::vector<Object> list;
  for (size_t i = 0; i < count; ++i) {
    CAROUSEL_TRY(require({{handles[i], name}}));
    list.push_back(handles[i]->*member);
  }
  return list;
}

TransferOptions makeOptions(carousel_transport transport, int32_t ctas = 0) {
  TransferOptions options;
  options.transport = static_cast<TransportKind>(transport);
  options.ctas = ctas;
  return options;
}

} // namespace

carousel_status carousel_comm_make_nccl_id(const carousel_context *context,
                                           void *id) noexcept {
  return run({{context, "context"}, {id, "id"}}, [&]() -> Status {
    CAROUSEL_TRY_ASSIGN(std::string made, Comm::makeNCCLId(context->context));
    std::memcpy(id, made.data(), CAROUSEL_NCCL_ID_BYTES);
    return {};
  });
}

carousel_status carousel_comm_connect(const carousel_context *context,
                                      const carousel_comm_options *options,
                                      carousel_comm **comm) noexcept {
  return make({{context, "context"}, {options, "options"}, {comm, "comm"}},
              comm, [&]() -> Result<Comm> {
                CAROUSEL_TRY_ASSIGN(CommOptions wanted, convert(options));
                return Comm::connect(context->context, wanted);
              });
}

carousel_status
carousel_comm_connect_local(const carousel_context *const *contexts,
                            size_t count, const carousel_comm_options *options,
                            carousel_comm **comms) noexcept {
  return makeAll({{contexts, "contexts"}, {comms, "comms"}}, comms,
                 [&]() -> Result<std::vector<Comm>> {
                   CAROUSEL_TRY_ASSIGN(CommOptions wanted, convert(options));
                   CAROUSEL_TRY_ASSIGN(auto list,
                                       getObjects(contexts, count, "contexts",
                                                  &carousel_context::context));
                   return Comm::connectLocal(list, wanted);
                 });
}

void carousel_comm_destroy(carousel_comm *comm) noexcept { delete comm; }

carousel_status carousel_comm_peer_state(const carousel_comm *comm,
                                         int32_t rank,
                                         carousel_peer_state *state) noexcept {
  return run({{comm, "comm"}, {state, "state"}}, [&]() -> Status {
    if (rank < 0 || rank >= comm->comm.getSize())
      return fail(ErrorCode::InvalidArgument,
                  "rank: expected a rank of 0 to {}, got {}",
                  comm->comm.getSize() - 1, rank);
    *state = static_cast<carousel_peer_state>(comm->comm.getPeerState(rank));
    return {};
  });
}

carousel_status carousel_comm_barrier(const carousel_comm *comm) noexcept {
  return run({{comm, "comm"}}, [&] { return comm->comm.barrier(); });
}

carousel_status carousel_comm_check(const carousel_comm *comm) noexcept {
  return run({{comm, "comm"}}, [&] { return comm->comm.check(); });
}

carousel_status carousel_comm_synchronize(const carousel_comm *comm,
                                          carousel_stream stream) noexcept {
  return run({{comm, "comm"}}, [&] { return comm->comm.synchronize(stream); });
}

carousel_status carousel_comm_send(const carousel_comm *comm, int32_t to,
                                   uint64_t source, uint64_t bytes,
                                   carousel_transport transport,
                                   carousel_stream stream) noexcept {
  return run({{comm, "comm"}}, [&] {
    return comm->comm.send(to, source, bytes, stream, makeOptions(transport));
  });
}

carousel_status carousel_comm_recv(const carousel_comm *comm, int32_t from,
                                   uint64_t target, uint64_t bytes,
                                   carousel_transport transport,
                                   carousel_stream stream) noexcept {
  return run({{comm, "comm"}}, [&] {
    return comm->comm.recv(from, target, bytes, stream, makeOptions(transport));
  });
}

//===----------------------------------------------------------------------===//
// Symmetric buffers
//===----------------------------------------------------------------------===//

carousel_status
carousel_symmetric_allocate(const carousel_comm *comm, uint64_t bytes,
                            uint32_t signals,
                            carousel_symmetric **buffer) noexcept {
  return make({{comm, "comm"}, {buffer, "buffer"}}, buffer, [&] {
    return SymmetricBuffer::allocate(comm->comm, bytes, {signals});
  });
}

carousel_status
carousel_symmetric_allocate_all(const carousel_comm *const *comms, size_t count,
                                uint64_t bytes, uint32_t signals,
                                carousel_symmetric **buffers) noexcept {
  return makeAll({{comms, "comms"}, {buffers, "buffers"}}, buffers,
                 [&]() -> Result<std::vector<SymmetricBuffer>> {
                   CAROUSEL_TRY_ASSIGN(
                       auto list,
                       getObjects(comms, count, "comms", &carousel_comm::comm));
                   return SymmetricBuffer::allocateAll(list, bytes, {signals});
                 });
}

carousel_status carousel_symmetric_adopt(const carousel_comm *comm,
                                         const uint64_t *addresses,
                                         uint64_t bytes,
                                         const uint64_t *counters,
                                         uint32_t signals,
                                         carousel_symmetric **buffer) noexcept {
  return make({{comm, "comm"}, {addresses, "addresses"}, {buffer, "buffer"}},
              buffer, [&] {
                auto ranks = static_cast<size_t>(comm->comm.getSize());
                std::vector<uint64_t> parts(addresses, addresses + ranks),
                    words;
                if (counters)
                  words.assign(counters, counters + ranks);
                return SymmetricBuffer::adopt(comm->comm, parts, bytes, words,
                                              {signals});
              });
}

void carousel_symmetric_free(carousel_symmetric *buffer) noexcept {
  delete buffer;
}

carousel_status
carousel_symmetric_open_multicast(carousel_symmetric *const *buffers,
                                  size_t count) noexcept {
  return run({{buffers, "buffers"}}, [&]() -> Status {
    std::vector<SymmetricBuffer *> ranks;
    for (size_t i = 0; i < count; ++i) {
      CAROUSEL_TRY(require({{buffers[i], "buffers"}}));
      ranks.push_back(&buffers[i]->buffer);
    }
    return SymmetricBuffer::openMulticast(ranks);
  });
}

carousel_status
carousel_symmetric_multicast_address(const carousel_symmetric *buffer,
                                     uint64_t *address) noexcept {
  return run({{buffer, "buffer"}, {address, "address"}}, [&]() -> Status {
    uint64_t found = buffer->buffer.getMulticastAddress();
    if (found == 0)
      return fail(ErrorCode::InvalidArgument,
                  "buffer: expected one with a multicast address, got "
                  "one without");
    *address = found;
    return {};
  });
}

carousel_status carousel_symmetric_address(const carousel_symmetric *buffer,
                                           int32_t rank,
                                           uint64_t *address) noexcept {
  return run({{buffer, "buffer"}, {address, "address"}}, [&]() -> Status {
    uint64_t found = buffer->buffer.getAddress(rank);
    if (found == 0)
      return fail(ErrorCode::InvalidArgument,
                  "rank: expected a rank of the buffer, got {}", rank);
    *address = found;
    return {};
  });
}

carousel_status
carousel_symmetric_signal_address(const carousel_symmetric *buffer, int32_t at,
                                  int32_t from, uint32_t signal,
                                  uint64_t *address) noexcept {
  return run({{buffer, "buffer"}, {address, "address"}}, [&]() -> Status {
    uint64_t found = buffer->buffer.getSignalAddress(at, from, signal);
    if (found == 0)
      return fail(ErrorCode::InvalidArgument,
                  "signal: expected one of the buffer, got signal {} of rank "
                  "{} at rank {}",
                  signal, from, at);
    *address = found;
    return {};
  });
}

carousel_status carousel_symmetric_put(const carousel_symmetric *buffer,
                                       int32_t to, uint64_t offset,
                                       uint64_t source, uint64_t bytes,
                                       carousel_transport transport,
                                       int32_t ctas,
                                       carousel_stream stream) noexcept {
  return run({{buffer, "buffer"}}, [&] {
    return buffer->buffer.put(to, offset, source, bytes, stream,
                              makeOptions(transport, ctas));
  });
}

carousel_status carousel_symmetric_get(const carousel_symmetric *buffer,
                                       int32_t from, uint64_t offset,
                                       uint64_t target, uint64_t bytes,
                                       carousel_transport transport,
                                       int32_t ctas,
                                       carousel_stream stream) noexcept {
  return run({{buffer, "buffer"}}, [&] {
    return buffer->buffer.get(from, offset, target, bytes, stream,
                              makeOptions(transport, ctas));
  });
}

/// The text of an explanation, which lives until the thread's next one.
static Status keepExplanation(Result<std::string> explained,
                              const char **text) {
  struct TransferExplanation;
  auto &kept = getOfThread<std::string, TransferExplanation>();
  CAROUSEL_TRY_ASSIGN(kept, std::move(explained));
  *text = kept.c_str();
  return {};
}

carousel_status carousel_symmetric_explain_put(
    const carousel_symmetric *buffer, int32_t to, uint64_t offset,
    uint64_t source, uint64_t bytes, carousel_transport transport, int32_t ctas,
    carousel_stream stream, const char **text) noexcept {
  return run({{buffer, "buffer"}, {text, "text"}}, [&] {
    return keepExplanation(
        buffer->buffer.explainPut(to, offset, source, bytes, stream,
                                  makeOptions(transport, ctas)),
        text);
  });
}

carousel_status carousel_symmetric_explain_get(
    const carousel_symmetric *buffer, int32_t from, uint64_t offset,
    uint64_t target, uint64_t bytes, carousel_transport transport, int32_t ctas,
    carousel_stream stream, const char **text) noexcept {
  return run({{buffer, "buffer"}, {text, "text"}}, [&] {
    return keepExplanation(
        buffer->buffer.explainGet(from, offset, target, bytes, stream,
                                  makeOptions(transport, ctas)),
        text);
  });
}

carousel_status carousel_symmetric_signal(const carousel_symmetric *buffer,
                                          int32_t to, uint32_t signal,
                                          uint64_t value,
                                          carousel_stream stream) noexcept {
  return run({{buffer, "buffer"}},
             [&] { return buffer->buffer.signal(to, signal, value, stream); });
}

carousel_status carousel_symmetric_put_signal(const carousel_symmetric *buffer,
                                              int32_t to, uint64_t offset,
                                              uint64_t source, uint64_t bytes,
                                              uint32_t signal, uint64_t value,
                                              carousel_transport transport,
                                              int32_t ctas,
                                              carousel_stream stream) noexcept {
  return run({{buffer, "buffer"}}, [&] {
    return buffer->buffer.putSignal(to, offset, source, bytes, signal, value,
                                    stream, makeOptions(transport, ctas));
  });
}

carousel_status carousel_symmetric_put_add(const carousel_symmetric *buffer,
                                           int32_t to, uint64_t offset,
                                           uint64_t source, uint64_t count,
                                           carousel_element element,
                                           int32_t ctas,
                                           carousel_stream stream) noexcept {
  return run({{buffer, "buffer"}}, [&] {
    return buffer->buffer.putAdd(to, offset, source, count,
                                 static_cast<ElementType>(element), stream,
                                 ctas);
  });
}

carousel_status carousel_symmetric_put_multicast(
    const carousel_symmetric *buffer, uint64_t offset, uint64_t source,
    uint64_t bytes, int32_t ctas, carousel_stream stream) noexcept {
  return run({{buffer, "buffer"}}, [&] {
    return buffer->buffer.putMulticast(offset, source, bytes, stream, ctas);
  });
}

carousel_status carousel_symmetric_wait(const carousel_symmetric *buffer,
                                        int32_t from, uint32_t signal,
                                        uint64_t value, uint32_t flags,
                                        uint64_t timeout_ms,
                                        carousel_stream stream) noexcept {
  return run({{buffer, "buffer"}}, [&]() -> Status {
    constexpr uint32_t kKnown = CAROUSEL_WAIT_EQUAL | CAROUSEL_WAIT_RESET;
    if ((flags & ~kKnown) != 0)
      return fail(ErrorCode::InvalidArgument,
                  "flags: expected CAROUSEL_WAIT_EQUAL and CAROUSEL_WAIT_RESET "
                  "only, got 0x{:x}",
                  flags);
    CAROUSEL_TRY_ASSIGN(std::chrono::milliseconds timeout,
                        convertTimeout(timeout_ms));
    WaitOptions options;
    options.timeout = timeout;
    options.isEqual = (flags & CAROUSEL_WAIT_EQUAL) != 0;
    options.reset = (flags & CAROUSEL_WAIT_RESET) != 0;
    return buffer->buffer.wait(from, signal, value, stream, options);
  });
}
