//===- Fences.h - fences of threads and proxies -----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A release fence keeps what the thread knows for its later relaxed operations.
// An acquire fence takes what its earlier relaxed operations have seen. Both
// need scopes that include the other side's thread.
//
// A proxy fence moves what is known into what the async proxy may rely on: all
// of it, or in the strict reading only the thread's own accesses.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_ORDERING_FENCES_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_ORDERING_FENCES_H

#include "../ResidentCTAs.h"

namespace carousel::sim {

enum class ProxyKind : uint8_t {
  Alias,
  Async,
  AsyncGlobal,
  AsyncSharedCTA,
  AsyncSharedCluster
};

class Fences {
public:
  Fences(AsyncContext &context, ResidentCTAs &ctas)
      : context(context), ctas(ctas) {}

  void fenceThread(MemSemantics semantics, MemScope scope);
  void fenceProxy(ProxyKind proxy);
  void fenceMbarrierInit();
  void fenceSyncRestrict(MemSemantics semantics);
  void fenceProxySyncRestrict(MemSemantics semantics);
  /// Does for fences what Grid::clusterArrive does. A relaxed arrive carries
  /// what an earlier fence released.
  void clusterArrive(bool release);

private:
  AsyncContext &context;
  ResidentCTAs &ctas;
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_ASYNC_ORDERING_FENCES_H
