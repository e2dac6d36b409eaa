//===- FakeDriver.h - control of the fake libcuda ---------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A shared object with libcuda's functions and without a GPU. Device memory is
// host memory, streams run at once, and a kernel is a function of the test, or
// nothing. A test links to it and makes the runtime load the same file
// (CAROUSEL_FAKE_DRIVER). So these functions control the driver that the
// runtime calls. Call reset() before each test.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TEST_RUNTIME_FAKEDRIVER_H
#define CAROUSEL_TEST_RUNTIME_FAKEDRIVER_H

#include <cuda.h>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace carousel::fake {

/// Back to the state of a fresh process: one default device, no error, nothing
/// recorded, no memory, every context destroyed and current nowhere.
void reset();

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

struct Device {
  std::string name = "Fake GPU";
  int major = 9, minor = 0;
  int multiprocessors = 132;
  int sharedPerBlock = 48 << 10;
  int sharedPerBlockOptin = 232448;
  int l2Bytes = 60 << 20;
  uint64_t memory = uint64_t(80) << 30;
  /// Values of other attributes; they win over the members above.
  std::map<CUdevice_attribute, int> attributes;
};

/// Programs under test: as many as CAROUSEL_FAKE_DRIVER_DEVICES says.
/// At most 8; none: cuInit returns CUDA_ERROR_NO_DEVICE. Before any context is
/// retained.
void setDevices(std::vector<Device> devices);
/// 13000 after reset().
void setDriverVersion(int version);

//===----------------------------------------------------------------------===//
// Errors. Functions are named without a version: "cuMemAlloc".
//===----------------------------------------------------------------------===//

/// The function returns `error`, `count` times, after `skip` more calls. It
/// does nothing then, but is recorded.
void failNext(std::string_view function, CUresult error, unsigned skip = 0,
              unsigned count = 1);
/// Poisons a context, as a failing kernel does: from now on every call that
/// needs the context returns `error`, also when it was released and retained
/// again. CUDA_SUCCESS heals it, unlike a GPU.
void poison(CUresult error, int device = 0);
/// Launching the function succeeds and then poisons the context.
void setKernelError(std::string_view function, CUresult error);
/// Every call that needs the driver returns CUDA_ERROR_DEINITIALIZED, as while
/// the process exits.
void setDeinitialized(bool deinitialized);

//===----------------------------------------------------------------------===//
// Recorded calls
//===----------------------------------------------------------------------===//

struct Call {
  std::string function;
  std::thread::id thread;
};
std::vector<Call> getCalls();
/// How often `function` was called since reset() or clearCalls().
unsigned countCalls(std::string_view function);
/// Forgets calls, launches, encodes, compilations and images.
void clearCalls();
/// Off: nothing is recorded but the number of launches, and a launch without a
/// host function takes no lock and no memory. For tests that count allocations.
void setRecording(bool on);
/// Launches since reset(), recorded or not.
uint64_t countLaunches();

struct Launch {
  std::string function;
  CUcontext context = nullptr;
  CUstream stream = nullptr;
  std::array<unsigned, 3> grid = {}, block = {};
  /// 1, 1, 1 where the launch has no cluster attribute.
  std::array<unsigned, 3> cluster = {1, 1, 1};
  bool hasCluster = false;
  bool cooperative = false;
  unsigned dynamicShared = 0;
  bool captured = false;
  /// The bytes of each parameter; none if setParameterSizes wasn't called for
  /// the function.
  std::vector<std::vector<uint8_t>> parameters;

  /// A parameter as a T; its size must be right.
  template <typename T> T get(size_t index) const;
};
std::vector<Launch> getLaunches();

//===----------------------------------------------------------------------===//
// Memory and lifetimes
//===----------------------------------------------------------------------===//

uint64_t getAllocatedBytes();
unsigned countAllocations();
unsigned countHostAllocations(); ///< of memory of the host
unsigned countLoadedModules();
/// How often the primary context is retained.
unsigned countRetains(int device = 0);

/// Forbids peer access from one device to another; all others have it. UUIDs
/// are the ordinals.
void setPeerAccess(int device, int peer, bool can);
/// Connects two devices by NVLink; none are after reset().
void setNVLink(int device, int peer);
unsigned countPhysical(); ///< of cuMemCreate, with those imported
unsigned countRanges();   ///< of cuMemAddressReserve
/// "create", "add 0", "bind 0 ...": calls on multicast objects.
std::vector<std::string> getMulticasts();

//===----------------------------------------------------------------------===//
// Modules and kernels
//===----------------------------------------------------------------------===//

/// The beginning of texts that cuModuleLoadDataEx takes, besides ELF files and
/// PTX, to the terminating NUL. "FAKECUBIN sm_90a ..." loads only on devices
/// that the chip allows (a letter: that device alone; none: later minor
/// revisions too), else CUDA_ERROR_NO_BINARY_FOR_GPU; "FAKECUBIN" on all.
/// Anything else is CUDA_ERROR_INVALID_IMAGE.
inline constexpr const char *kCubinMagic = "FAKECUBIN";

/// PTX that the driver was given, and the options with it.
struct Compilation {
  std::string ptx;
  std::map<CUjit_option, uint64_t> options;
};
std::vector<Compilation> getCompilations();
/// Sets the text that the driver's compiler writes into the error log when it
/// fails. PTX without ".version" fails by itself with CUDA_ERROR_INVALID_PTX.
void setCompileLog(std::string log);
/// Texts that were loaded; "ELF" for ELF files.
std::vector<std::string> getImages();
/// Names that cuModuleGetFunction doesn't find; it finds all others.
void setMissingFunctions(std::vector<std::string> names);
/// Gives every module a variable of `bytes`; without, cuModuleGetGlobal finds
/// none. The first 8 bytes of that of the module that is loaded.
void setGlobal(std::string_view name, size_t bytes);
uint64_t getGlobal(std::string_view name);
/// Sizes of a function's parameters in bytes, which cuFuncGetParamInfo tells
/// too: a function without has no parameters.
void setParameterSizes(std::string_view function, std::vector<size_t> sizes);
/// Sets the result of cuFuncGetAttribute before a cuFuncSetAttribute.
void setFunctionAttribute(std::string_view function,
                          CUfunction_attribute attribute, int value);
/// Stands for the kernel: called during cuLaunchKernelEx by the launching
/// thread, unless the stream is capturing. Takes what the driver takes, so the
/// sizes needn't be known. Memory is at the addresses given.
using HostKernel = std::function<void(const Launch &launch, void **parameters)>;
void setKernel(std::string_view function, HostKernel kernel);
/// Host functions for programs under test, also installed by the first call
/// where the environment has CAROUSEL_FAKE_DRIVER_KERNELS=1:
///   copy_1d(float *x, int64_t n, float *y, int64_t m): y = x, min(n, m)
///   elements
///   copy_bytes(char *x, int64_t n, char *y, int64_t n, ...), copy_shifted: the
///   transport's
///   scale(float *x, int64_t n, float factor): x *= factor
void installKernels();

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

/// The arguments, in the driver's order (innermost first).
struct Encode {
  enum class Kind : uint32_t { Tiled, Im2col, Im2colWide };
  Kind kind = Kind::Tiled;
  CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_UINT8;
  uint64_t address = 0;
  std::vector<uint64_t> extents, strides;
  std::vector<uint32_t> box, elementStrides; ///< box: tiled only
  std::vector<int> lower, upper;             ///< im2col; wide: one each
  uint32_t channels = 0, pixels = 0;         ///< im2col
  CUtensorMapInterleave interleave = CU_TENSOR_MAP_INTERLEAVE_NONE;
  CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE;
  CUtensorMapL2promotion promotion = CU_TENSOR_MAP_L2_PROMOTION_NONE;
  CUtensorMapFloatOOBfill fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
  CUtensorMapIm2ColWideMode mode = CU_TENSOR_MAP_IM2COL_WIDE_MODE_W; ///< wide
};
/// Encodes that succeeded. The fake refuses what breaks the main rules of the
/// driver with CUDA_ERROR_INVALID_VALUE.
std::vector<Encode> getEncodes();

/// The contents of a map. Equal arguments give equal maps.
struct EncodedMap {
  static constexpr uint64_t kMagic = 0x0070614d656b6146; // "FakeMap"
  uint64_t magic;
  uint64_t address;
  uint32_t kind, type, rank, flags; ///< flags: a byte each for the four enums
  uint64_t extents[5];
  uint64_t strides[4];
  uint16_t box[8]; ///< `rank` of them; im2col: channels, pixels
  uint64_t hash;   ///< of all arguments
};
static_assert(sizeof(EncodedMap) == 128);

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

/// A new stream of the device; any other pointer is taken for one too. Belongs
/// to the fake.
CUstream makeStream();
/// Another stream gets the handle.
void replaceStream(CUstream stream);
/// Blocks of a function that a multiprocessor holds at once, 2 unless set.
void setOccupancy(std::string_view function, int blocks);
/// Sets the result of cuStreamIsCapturing. While a stream captures, launches on
/// it are recorded as captured and not run; waiting for it fails with
/// CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED and invalidates it, and so do
/// allocating, freeing, and loading and unloading modules, unless
/// cuThreadExchangeStreamCaptureMode made the thread relaxed; the null stream
/// is CUDA_ERROR_STREAM_CAPTURE_IMPLICIT.
void setCapturing(CUstream stream, CUstreamCaptureStatus status);
/// The nodes of the graph that a stream records or has recorded last, launches,
/// copies and fills: those before each on which it depends.
std::vector<std::vector<size_t>> getNodes(CUstream stream);
/// Ends all graphs that streams recorded, and releases what they keep.
void destroyGraphs();
/// As the driver of an H100 does: freeing memory and loading a module wait
/// until no stream waits for a word. Meanwhile copies to the host and
/// cuStreamSynchronize block, also for other streams. Memory operations aren't
/// done while a module is loaded.
void setBlocking(bool on);
/// Runs the memory operations that were captured (writes and waits of words),
/// as launching the graph would.
void replayMemoryOperations();
/// How long launches take on the clock that events read, in turn; 0.01 ms each
/// after reset().
void setLaunchMilliseconds(std::vector<float> durations);

template <typename T> T Launch::get(size_t index) const {
  T value = {};
  if (index < parameters.size() && parameters[index].size() == sizeof(T))
    __builtin_memcpy(&value, parameters[index].data(), sizeof(T));
  else
    __builtin_trap(); // the test asks for a parameter that isn't there
  return value;
}

} // namespace carousel::fake

#endif // CAROUSEL_TEST_RUNTIME_FAKEDRIVER_H
