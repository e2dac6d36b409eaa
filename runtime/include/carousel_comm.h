//===- carousel_comm.h - memory that several GPUs share ---------*- C -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ranks of one machine: connections, symmetric buffers, transfers and signals.
// carousel/Runtime/Comm.h describes the calls in full. The rules of
// carousel_runtime.h hold, and carousel_last_error() has the messages. A buffer
// keeps its comm alive, and a comm its context. Since version 5.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_COMM_H
#define CAROUSEL_COMM_H

#include "carousel_runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct carousel_comm carousel_comm;
typedef struct carousel_symmetric carousel_symmetric;

typedef int32_t carousel_transport;
enum {
  CAROUSEL_TRANSPORT_AUTO = 0,
  CAROUSEL_TRANSPORT_COPY_ENGINE = 1,
  CAROUSEL_TRANSPORT_TMA = 2,
  CAROUSEL_TRANSPORT_NCCL = 3 // send and recv only
};

typedef int32_t carousel_peer_state;
enum {
  CAROUSEL_PEER_ALIVE = 0,
  CAROUSEL_PEER_LEFT = 1,
  CAROUSEL_PEER_DIED = 2
};

// How a stream waits.
enum {
  CAROUSEL_WAIT_EQUAL = 1, // for exactly the value
  CAROUSEL_WAIT_RESET = 2  // sets the signal to 0 after the wait
};

typedef struct carousel_comm_options {
  size_t size; // sizeof(carousel_comm_options)
  int32_t rank;
  int32_t ranks;       // their number
  const char *session; // a name that the ranks share
  uint64_t timeout_ms; // of calls, and of waits by default
  uint64_t mailbox_bytes;
  const char *transport_package; // null: as in carousel/Runtime/Comm.h
  const char *transport_table;   // the same
  // CAROUSEL_NCCL_ID_BYTES, the same on all ranks: NCCL connects them; or null.
  const void *nccl_id;
  int32_t allow_multicast; // not 0: carousel_symmetric_open_multicast may work
  // Not 0: signals are in memory of the host. Since version 6.
  int32_t host_signals;
} carousel_comm_options;

// Sets `size` and the defaults. `size` is sizeof(carousel_comm_options).
CAROUSEL_RUNTIME_API void
carousel_comm_options_init(carousel_comm_options *options,
                           size_t size) CAROUSEL_RUNTIME_NOEXCEPT;

#define CAROUSEL_NCCL_ID_BYTES 128
// Writes CAROUSEL_NCCL_ID_BYTES. One rank makes them; the program hands them to
// the others.
CAROUSEL_RUNTIME_API carousel_status carousel_comm_make_nccl_id(
    const carousel_context *context, void *id) CAROUSEL_RUNTIME_NOEXCEPT;

// Collective over the processes of a session.
CAROUSEL_RUNTIME_API carousel_status carousel_comm_connect(
    const carousel_context *context, const carousel_comm_options *options,
    carousel_comm **comm) CAROUSEL_RUNTIME_NOEXCEPT;
// The ranks of one process, one for each of `count` contexts. Writes `count`
// comms. `options` may be null; its rank, ranks and session don't count.
CAROUSEL_RUNTIME_API carousel_status
carousel_comm_connect_local(const carousel_context *const *contexts,
                            size_t count, const carousel_comm_options *options,
                            carousel_comm **comms) CAROUSEL_RUNTIME_NOEXCEPT;
CAROUSEL_RUNTIME_API void
carousel_comm_destroy(carousel_comm *comm) CAROUSEL_RUNTIME_NOEXCEPT;

CAROUSEL_RUNTIME_API carousel_status
carousel_comm_peer_state(const carousel_comm *comm, int32_t rank,
                         carousel_peer_state *state) CAROUSEL_RUNTIME_NOEXCEPT;
CAROUSEL_RUNTIME_API carousel_status
carousel_comm_barrier(const carousel_comm *comm) CAROUSEL_RUNTIME_NOEXCEPT;
// Reports the earliest wait that ended by a fault since the last report.
CAROUSEL_RUNTIME_API carousel_status
carousel_comm_check(const carousel_comm *comm) CAROUSEL_RUNTIME_NOEXCEPT;
// Waits for a stream; reports its waits that ended by a fault.
CAROUSEL_RUNTIME_API carousel_status
carousel_comm_synchronize(const carousel_comm *comm,
                          carousel_stream stream) CAROUSEL_RUNTIME_NOEXCEPT;
CAROUSEL_RUNTIME_API carousel_status
carousel_comm_send(const carousel_comm *comm, int32_t to, uint64_t source,
                   uint64_t bytes, carousel_transport transport,
                   carousel_stream stream) CAROUSEL_RUNTIME_NOEXCEPT;
CAROUSEL_RUNTIME_API carousel_status
carousel_comm_recv(const carousel_comm *comm, int32_t from, uint64_t target,
                   uint64_t bytes, carousel_transport transport,
                   carousel_stream stream) CAROUSEL_RUNTIME_NOEXCEPT;

// Collective. `signals`: that each rank has from each rank.
CAROUSEL_RUNTIME_API carousel_status carousel_symmetric_allocate(
    const carousel_comm *comm, uint64_t bytes, uint32_t signals,
    carousel_symmetric **buffer) CAROUSEL_RUNTIME_NOEXCEPT;
// Allocates for all `count` ranks of one process at once. Writes `count`
// buffers.
CAROUSEL_RUNTIME_API carousel_status carousel_symmetric_allocate_all(
    const carousel_comm *const *comms, size_t count, uint64_t bytes,
    uint32_t signals, carousel_symmetric **buffers) CAROUSEL_RUNTIME_NOEXCEPT;
// Takes memory that something else shares: an address for each rank, as mapped
// here. `counters`, an address for each rank too, may be null: no signals.
CAROUSEL_RUNTIME_API carousel_status carousel_symmetric_adopt(
    const carousel_comm *comm, const uint64_t *addresses, uint64_t bytes,
    const uint64_t *counters, uint32_t signals,
    carousel_symmetric **buffer) CAROUSEL_RUNTIME_NOEXCEPT;
CAROUSEL_RUNTIME_API void
carousel_symmetric_free(carousel_symmetric *buffer) CAROUSEL_RUNTIME_NOEXCEPT;

// Collective. `buffers`: those of this process's ranks, in their order. Gives
// the buffer an address for the parts of all ranks.
CAROUSEL_RUNTIME_API carousel_status carousel_symmetric_open_multicast(
    carousel_symmetric *const *buffers, size_t count) CAROUSEL_RUNTIME_NOEXCEPT;
// An error before carousel_symmetric_open_multicast.
CAROUSEL_RUNTIME_API carousel_status carousel_symmetric_multicast_address(
    const carousel_symmetric *buffer,
    uint64_t *address) CAROUSEL_RUNTIME_NOEXCEPT;

// A rank's part as mapped here.
CAROUSEL_RUNTIME_API carousel_status
carousel_symmetric_address(const carousel_symmetric *buffer, int32_t rank,
                           uint64_t *address) CAROUSEL_RUNTIME_NOEXCEPT;
// The counter of rank `at` that rank `from` writes, as mapped here.
CAROUSEL_RUNTIME_API carousel_status carousel_symmetric_signal_address(
    const carousel_symmetric *buffer, int32_t at, int32_t from, uint32_t signal,
    uint64_t *address) CAROUSEL_RUNTIME_NOEXCEPT;

// `ctas`: of the TMA transport, at most; 0: the table decides.
CAROUSEL_RUNTIME_API carousel_status carousel_symmetric_put(
    const carousel_symmetric *buffer, int32_t to, uint64_t offset,
    uint64_t source, uint64_t bytes, carousel_transport transport, int32_t ctas,
    carousel_stream stream) CAROUSEL_RUNTIME_NOEXCEPT;
CAROUSEL_RUNTIME_API carousel_status carousel_symmetric_get(
    const carousel_symmetric *buffer, int32_t from, uint64_t offset,
    uint64_t target, uint64_t bytes, carousel_transport transport, int32_t ctas,
    carousel_stream stream) CAROUSEL_RUNTIME_NOEXCEPT;
// How a put or a get would be made, and why, in a line: "tma with at most 8
// CTAs: ...". Puts nothing into the stream. The text is valid until the
// thread's next call of these two. Since version 6.
CAROUSEL_RUNTIME_API carousel_status carousel_symmetric_explain_put(
    const carousel_symmetric *buffer, int32_t to, uint64_t offset,
    uint64_t source, uint64_t bytes, carousel_transport transport, int32_t ctas,
    carousel_stream stream, const char **text) CAROUSEL_RUNTIME_NOEXCEPT;
CAROUSEL_RUNTIME_API carousel_status carousel_symmetric_explain_get(
    const carousel_symmetric *buffer, int32_t from, uint64_t offset,
    uint64_t target, uint64_t bytes, carousel_transport transport, int32_t ctas,
    carousel_stream stream, const char **text) CAROUSEL_RUNTIME_NOEXCEPT;
CAROUSEL_RUNTIME_API carousel_status carousel_symmetric_signal(
    const carousel_symmetric *buffer, int32_t to, uint32_t signal,
    uint64_t value, carousel_stream stream) CAROUSEL_RUNTIME_NOEXCEPT;
CAROUSEL_RUNTIME_API carousel_status carousel_symmetric_put_signal(
    const carousel_symmetric *buffer, int32_t to, uint64_t offset,
    uint64_t source, uint64_t bytes, uint32_t signal, uint64_t value,
    carousel_transport transport, int32_t ctas,
    carousel_stream stream) CAROUSEL_RUNTIME_NOEXCEPT;
// Adds `count` elements: f32, f16, bf16 or i32.
CAROUSEL_RUNTIME_API carousel_status carousel_symmetric_put_add(
    const carousel_symmetric *buffer, int32_t to, uint64_t offset,
    uint64_t source, uint64_t count, carousel_element element, int32_t ctas,
    carousel_stream stream) CAROUSEL_RUNTIME_NOEXCEPT;
// To all ranks' parts. Offset, source and size are multiples of 4.
CAROUSEL_RUNTIME_API carousel_status carousel_symmetric_put_multicast(
    const carousel_symmetric *buffer, uint64_t offset, uint64_t source,
    uint64_t bytes, int32_t ctas,
    carousel_stream stream) CAROUSEL_RUNTIME_NOEXCEPT;
// `flags`: CAROUSEL_WAIT_*. `timeout_ms` 0: that of the comm.
CAROUSEL_RUNTIME_API carousel_status carousel_symmetric_wait(
    const carousel_symmetric *buffer, int32_t from, uint32_t signal,
    uint64_t value, uint32_t flags, uint64_t timeout_ms,
    carousel_stream stream) CAROUSEL_RUNTIME_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif // CAROUSEL_COMM_H
