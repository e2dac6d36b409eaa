//===- FakeState.h - the state of the fake driver ---------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver's objects and the settings of the test. One mutex guards all but
// the atomics; a launch without recording needs the atomics only.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TEST_RUNTIME_FAKESTATE_H
#define CAROUSEL_TEST_RUNTIME_FAKESTATE_H

#include "FakeDriver.h"

#include <atomic>
#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <set>

/// The primary context of a device; there are no others.
struct CUctx_st {
  int device = 0;
  unsigned retains = 0; ///< guarded by the state's mutex
  std::atomic<bool> active = false;
  std::atomic<CUresult> error = CUDA_SUCCESS;
};

struct CUmod_st {
  CUcontext context = nullptr;
  std::atomic<bool> loaded = true;
};

struct CUfunc_st {
  std::string name;
  CUmodule module = nullptr;
  std::map<CUfunction_attribute, int> attributes; ///< guarded
  std::atomic<int> maxDynamicShared = 48 << 10;
  std::atomic<bool> nonPortableCluster = false;
};

struct CUstream_st {
  std::atomic<unsigned long long> id = 0; ///< no other stream has or had it
};

struct CUevent_st {
  bool recorded = false;
  double milliseconds = 0;
};

struct CUuserObject_st {
  void *data;
  CUhostFn destroy;
  unsigned references; ///< guarded
};

struct CUgraphNode_st {
  std::vector<size_t> dependencies; ///< numbers of nodes
};

struct CUgraph_st {
  std::vector<CUuserObject> objects; ///< that it keeps
  std::list<CUgraphNode_st> nodes;
  std::vector<CUgraphNode> last; ///< on which the next one depends

  size_t getNumber(CUgraphNode node) const;
};

namespace carousel::fake {

constexpr int kMaxDevices = 8;

struct FunctionSettings {
  std::vector<size_t> parameterSizes;
  std::map<CUfunction_attribute, int> attributes;
  HostKernel kernel;
  CUresult error = CUDA_SUCCESS;
  int occupancy = 2;
};

struct Failure {
  unsigned skip, count;
  CUresult error;
};

struct Allocation {
  uint64_t bytes;
  CUcontext context;
};

/// Memory of cuMemCreate: a file, so that other processes can map it.
struct Physical {
  int file = -1;
  size_t bytes = 0;
  int device = 0;
  unsigned handles = 1, maps = 0; ///< who keeps it
  CUmemAllocationHandleType types = CU_MEM_HANDLE_TYPE_NONE;
  bool isMulticast = false;
  int devicesLeft = 0; ///< a multicast object: that aren't added yet
};

/// A range of cuMemAddressReserve.
struct Range {
  size_t bytes = 0;
  CUmemGenericAllocationHandle handle = 0; ///< 0: nothing is mapped
  std::set<int> access;                    ///< devices
};

struct State {
  std::mutex mutex;

  // Settings.
  std::vector<Device> devices = {Device()};
  std::map<std::string, std::vector<Failure>, std::less<>> failures;
  std::map<std::string, FunctionSettings, std::less<>> functions;
  std::set<std::string, std::less<>> missing;
  std::map<std::string, size_t, std::less<>> globalBytes;
  std::map<CUstream, CUstreamCaptureStatus> capturing;
  std::vector<float> launchMilliseconds = {0.01f};
  std::string compileLog;
  std::atomic<int> driverVersion = 13000;
  std::atomic<bool> recording = true, deinitialized = false;
  /// Whether a launch must look into the maps above.
  std::atomic<bool> anyFailure = false, anyFunction = false, anyCapture = false;

  // Records.
  std::vector<Call> calls;
  std::vector<Launch> launches;
  std::vector<Encode> encodes;
  std::vector<Compilation> compilations;
  std::vector<std::string> images;
  std::atomic<uint64_t> launchCount = 0;

  // The driver's objects. Never freed before reset(), so that a stale handle is
  // found out.
  std::atomic<bool> initialized = false;
  std::atomic<uint64_t> generation = 1;
  std::array<CUctx_st, kMaxDevices> contexts;
  std::deque<CUmod_st> modules;
  std::deque<CUfunc_st> kernels;
  std::deque<CUstream_st> streams;
  unsigned long long lastStreamId = 100; ///< below: of streams without handles
  std::set<CUevent> events;
  std::map<CUdeviceptr, Allocation> memory;
  std::map<std::pair<CUmodule, std::string>, CUdeviceptr> globals;
  std::map<void *, unsigned> hostMemory; ///< with its flags
  std::map<void *, size_t> registered;   ///< of it, what others allocated
  std::map<CUmemGenericAllocationHandle, Physical> physical;
  CUmemGenericAllocationHandle lastHandle = 0x1000;
  std::map<CUdeviceptr, Range> ranges;
  std::set<std::pair<int, int>> noAccess; ///< pairs of devices
  std::set<std::pair<int, int>> nvLinks;  ///< pairs of devices
  std::vector<std::string> multicasts;
  std::vector<std::vector<CUstreamBatchMemOpParams>> capturedOperations;
  std::list<CUgraph_st> graphs;
  std::map<CUstream, CUgraph> recorded; ///< by the stream that records it
  uint64_t allocated = 0;
  double clock = 0;

  /// The state that setBlocking() sets.
  std::atomic<bool> isBlocking = false;
  std::atomic<int> waitingStreams = 0;
  std::mutex contextLock, loadLock;

  static State &get();
};

/// The state that a function of the driver needs before it does anything.
enum class Needs { Nothing, Driver, Context };

/// Records the call and returns the error that it has to return, if any.
CUresult enter(const char *function, Needs needs);

/// The calling thread's contexts.
CUcontext currentContext();
bool pushContext(CUcontext context);
CUcontext popContext();

/// The calling thread's; other than CU_STREAM_CAPTURE_MODE_RELAXED, it may not
/// allocate or load while any stream captures.
CUstreamCaptureMode &getCaptureMode();

/// Fails what isn't allowed during a capture, and invalidates the captures.
CUresult refuseWhileCapturing(State &state);

void releaseMemory(State &state, CUcontext context);
/// Unmaps and frees what cuMemCreate and the like made. The lock must be held.
void releaseRanges(State &state);

/// Runs the operations of a stream. The lock must not be held.
void runMemoryOperations(const CUstreamBatchMemOpParams *operations,
                         size_t count);

/// Adds a node to the graph that the stream records, if it does.
void noteNode(State &state, CUstream stream);

/// Drops references of an object, and calls its function with the last. The
/// lock may be held.
void releaseObject(CUuserObject object, unsigned count);

/// Where setBlocking() asks for it: what waits for all streams of the context,
/// and what can't begin meanwhile. The state's lock must not be held.
void waitForStreams();
void waitForContext();
/// The same for a load of a module, which memory operations wait for too.
void waitForStreamsAndLoad();
void waitForLoad();

/// Whether the current context's device may use memory of either kind. The lock
/// must be held.
bool isInside(State &state, CUdeviceptr address, size_t bytes);

/// The settings of a device, or null. The lock must be held.
const Device *findDevice(State &state, int ordinal);

} // namespace carousel::fake

#define FAKE_ENTER(function, needs)                                            \
  if (CUresult error = carousel::fake::enter(#function, needs);                \
      error != CUDA_SUCCESS)                                                   \
  return error

#endif // CAROUSEL_TEST_RUNTIME_FAKESTATE_H
