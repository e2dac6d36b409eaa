//===- Transport.h - what copies between GPUs -------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One interface for what copies between addresses that the GPU can reach, a
// table of all kinds with what each can do and costs, and the choice among them
// by size and topology: a pure function of what is known of a copy, by times
// that were measured between two GPUs. docs/Comm.md has the rule,
// docs/Rationale.md its figures. A new kind is an enumerator of TransportKind
// (and of carousel_comm.h), a class, and a row of getTransports().
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_COMM_TRANSPORT_H
#define CAROUSEL_RUNTIME_SRC_COMM_TRANSPORT_H

#include "Context/ContextImpl.h"

#include "carousel/Runtime/Comm.h"
#include "carousel/Runtime/TransportTable.h"

#include <atomic>

namespace carousel::runtime {

/// The facts that the choice depends on.
struct CopyFacts {
  uint64_t bytes = 0;
  Topology topology = Topology::SameGPU;
  bool hasNVLink = false;   ///< between the two GPUs
  bool hasKernels = false;  ///< those of the transport's package can run
  bool isGet = false;       ///< this GPU reads the other one's memory
  bool isSignalled = false; ///< a signal follows in the same call
  bool isAligned = false;   ///< source and target are alike modulo 16 bytes
  bool isCaptured = false;  ///< the stream records a CUDA graph
  int multiprocessors = 0;
};

/// A put or a get over NVLink, a node of a CUDA graph, in microseconds.
struct MeasuredCopy {
  uint64_t bytes = 0;
  double copyEngine = 0;
  double tma = 0; ///< with this many CTAs
  int ctas = 0;
};
/// Rows of growing size.
const std::vector<MeasuredCopy> &getMeasuredCopies(bool isGet);

/// The cost of a copy in microseconds, and the CTAs that it takes.
struct CopyCost {
  double time = 0;
  int ctas = 0;
};

class Transport;

/// A kind of transport: what it can do, what it costs, and how it is opened.
/// The functions are null where it has no puts and gets.
struct TransportInfo : TransportTraits {
  /// Why `auto` doesn't take it for the copy, whatever it costs; null if it
  /// may.
  const char *(*refuse)(const CopyFacts &facts);
  /// Called where it isn't refused.
  CopyCost (*predict)(const CopyFacts &facts);
  Result<std::unique_ptr<Transport>> (*open)(const Context &context,
                                             const CommOptions &options);
};
/// The kinds. Where costs are equal, `auto` takes the first one.
const std::vector<TransportInfo> &getTransports();

struct TransportChoice {
  TransportKind transport = TransportKind::CopyEngine;
  int ctas = 0;
  std::string reason;
};

/// Whether only a captured stream decides about the copy, which is then asked.
bool dependsOnCapture(CopyFacts facts);
/// `isExplained`: with its reason, which costs time.
TransportChoice chooseTransport(const CopyFacts &facts,
                                bool isExplained = false);

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
Result<std::unique_ptr<Transport>> openCopyEngine(const Context &context,
                                                  const CommOptions &options);

/// Kernels of bulk copies of a package; opens it.
Result<std::unique_ptr<Transport>> openTMA(const Context &context,
                                           const CommOptions &options);

/// The package of transport kernels that the options or the environment name;
/// empty where neither does.
std::string getTransportPackage(const CommOptions &options);

/// The directory of the transport kernels' package, if none is given.
std::string findTransportPackage();

/// The kernel that puts to a multicast address; opens its package.
Result<std::unique_ptr<Transport>> openMulticastPut(const Context &context,
                                                    const CommOptions &options);

/// The transports of a group, each opened when it is first used. Thread-safe.
class Transports {
public:
  Transports(Context context, const CommOptions &options);
  /// Reads the table. An error names the file.
  Status open();
  /// Whether the options can be used; opens the transport that would copy.
  Status check(const Copy &copy, const Route &route,
               const TransferOptions &options, Stream stream);
  /// Explains which transport would copy, and why.
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
  /// A transport, opened when it is first used, or why there is none.
  struct Slot {
    std::atomic<Transport *> opened{nullptr}; ///< without a lock
    std::unique_ptr<Transport> transport;
    std::optional<Error> error;
  };
  Result<Transport *> open(Slot &slot, decltype(TransportInfo::open) open);
  Result<Transport *> get(TransportKind kind);
  Result<Transport *> getMulticastPut() {
    return open(multicastPut, openMulticastPut);
  }

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
  std::mutex mutex;
  std::vector<Slot> slots; ///< in the order of getTransports()
  Slot multicastPut;
};

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_COMM_TRANSPORT_H
