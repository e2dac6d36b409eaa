//===- Transport.h - how bytes move between mapped addresses ----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One interface for what copies between addresses that the GPU can reach, and
// the choice among them by size and topology.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_COMM_TRANSPORT_H
#define CAROUSEL_RUNTIME_SRC_COMM_TRANSPORT_H

#include "Context/ContextImpl.h"

#include "TransportChoice.h"

#include "carousel/Runtime/Comm.h"
#include "carousel/Runtime/TransportTable.h"

#include <atomic>

namespace carousel::runtime {

/// A copy of at least one byte between addresses of the context's GPU.
struct Copy {
  uint64_t target = 0, source = 0, bytes = 0;
  int ctas = 0;             ///< at most; 0: the transport decides
  bool isGet = false;       ///< the source is another rank's
  bool isSignalled = false; ///< a signal follows
};

/// How a rank reaches another one's memory.
struct Route {
  Topology topology = Topology::SameGPU;
  bool hasNVLink = false; ///< between two GPUs
};

class Transport {
public:
  virtual ~Transport() = default;
  /// Loads what copies need, so that they can be captured.
  virtual Status load() { return {}; }
  /// Puts the copy into the stream. The context must be current.
  virtual Status copy(const Copy &copy, Stream stream) = 0;
  /// Adds elements instead; only some transports can.
  virtual Status add(const Copy &copy, ElementType element, Stream stream);
};

/// The driver's copies, by the GPU's copy engines.
std::unique_ptr<Transport>
makeCopyEngine(std::shared_ptr<Context::Impl> context);

/// Kernels of bulk copies of a package; opens it.
Result<std::unique_ptr<Transport>> openTMA(const Context &context,
                                           const std::string &package);

/// The directory of the transport kernels' package, if none is given.
std::string findTransportPackage();

/// The kernel that puts to a multicast address; opens its package.
Result<std::unique_ptr<Transport>>
openMulticastPut(const Context &context, const std::string &directory);

/// The transports of a group, each opened when it is first used. Thread-safe.
class Transports {
public:
  Transports(Context context, const CommOptions &options);
  /// Reads the table. An error names the file.
  Status open();
  /// Whether the options can be used; opens the transport that would copy.
  Status check(const Copy &copy, const Route &route,
               const TransferOptions &options, Stream stream);
  /// What would copy, and why.
  Result<std::string> explain(const Copy &copy, const Route &route,
                              const TransferOptions &options, Stream stream);
  /// Loads the kernels of the package, if there is one: a first load in a later
  /// call would wait for all streams of the context, and for their waits. Where
  /// that fails, `auto` takes the copy engine.
  void prepare();
  /// Copies; empty copies do nothing.
  Status copy(Copy copy, const Route &route, const TransferOptions &options,
              Stream stream);

  /// Adds at least one element.
  Status add(const Copy &copy, ElementType element, Stream stream);

  /// Copies words to the parts of all ranks; empty copies do nothing.
  Status putMulticast(const Copy &copy, Stream stream);

private:
  Result<Transport *> get(TransportKind kind);
  Result<Transport *> getMulticastPut();

  Context context;
  CommOptions options;
  /// Chooses what the options ask for, or what `auto` takes, with its reason if
  /// `isExplained`.
  Result<TransportChoice> choose(const Copy &copy, const Route &route,
                                 const TransferOptions &options, Stream stream,
                                 bool isExplained = false) const;

  std::optional<TransportTable> table; ///< what was measured here
  std::string tableFile;
  bool isPrepared = false; ///< the kernels are loaded
  std::unique_ptr<Transport> copyEngine;
  std::mutex mutex;
  std::unique_ptr<Transport> tma;
  std::atomic<Transport *> openedTMA{nullptr}; ///< `tma`, without a lock
  std::optional<Error> tmaError;               ///< why there is none
  std::unique_ptr<Transport> multicastPut;
};

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_COMM_TRANSPORT_H
