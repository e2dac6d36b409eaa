//===- PeerLaunches.cu - what a put costs the host and the GPU ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Usage: peer-launches PACKAGE, of runtime/transport. Each call four times:
//   host     what the call takes, in bursts that fit the driver's queue
//   stream   calls of one thread, by events: the host or the GPU is slower
//   queued   the same when all calls are in the stream before it may run
//   graph    the same as nodes of a CUDA graph
//
//===----------------------------------------------------------------------===//

#include "PeerKernels.h"
#include "PeerSupport.h"

#include "carousel_comm.h"

#include <chrono>
#include <functional>
#include <string>

using namespace carousel::peer_bench;

namespace {

constexpr int kBurst = 64, kRounds = 100, kQueued = 200;

cudaStream_t stream;
volatile uint32_t *gate; ///< of the host; the stream waits for it
CUdeviceptr gateAddress;

void call(carousel_status status) {
  if (status == CAROUSEL_OK)
    return;
  std::fprintf(stderr, "%s\n", carousel_last_error());
  std::exit(1);
}

struct Call {
  std::string name;
  std::function<void()> run;
  bool isQuery = false; ///< puts nothing into the stream
  bool isCaptured = true;
};

double getMicroseconds(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(
             std::chrono::steady_clock::now() - begin)
      .count();
}

double timeHost(const Call &timed) {
  std::vector<double> times;
  for (int round = 0; round < kRounds; ++round) {
    require(cudaStreamSynchronize(stream), "burst");
    auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < kBurst; ++i)
      timed.run();
    times.push_back(getMicroseconds(begin) / kBurst);
  }
  require(cudaStreamSynchronize(stream), "burst");
  return median(times);
}

/// Between events around what `enqueue` puts into the stream; gated, the stream
/// starts when all of it is there.
double timeStream(const std::function<void()> &enqueue, bool isGated) {
  cudaEvent_t begin, end;
  require(cudaEventCreate(&begin), "cudaEventCreate");
  require(cudaEventCreate(&end), "cudaEventCreate");
  std::vector<double> times;
  for (int round = 0; round < 9; ++round) {
    *gate = 0;
    if (isGated)
      require(
          cuStreamWaitValue32(stream, gateAddress, 1, CU_STREAM_WAIT_VALUE_EQ),
          "cuStreamWaitValue32");
    require(cudaEventRecord(begin, stream), "cudaEventRecord");
    enqueue();
    require(cudaEventRecord(end, stream), "cudaEventRecord");
    *gate = 1;
    require(cudaEventSynchronize(end), "a call");
    float milliseconds = 0;
    require(cudaEventElapsedTime(&milliseconds, begin, end), "elapsed");
    times.push_back(milliseconds * 1e3);
  }
  require(cudaEventDestroy(begin), "cudaEventDestroy");
  require(cudaEventDestroy(end), "cudaEventDestroy");
  return median(times);
}

double timeGraph(const Call &timed) {
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal),
          "cudaStreamBeginCapture");
  for (int i = 0; i < kBurst; ++i)
    timed.run();
  require(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
  require(cudaGraphInstantiate(&executable, graph, 0), "cudaGraphInstantiate");
  require(cudaGraphLaunch(executable, stream), "cudaGraphLaunch");
  double time =
      timeStream([&] { cudaGraphLaunch(executable, stream); }, false) / kBurst;
  require(cudaGraphExecDestroy(executable), "cudaGraphExecDestroy");
  require(cudaGraphDestroy(graph), "cudaGraphDestroy");
  return time;
}

void report(const char *title, const std::vector<Call> &calls) {
  std::printf("\n== %s, us%*s%9s%9s%9s%9s\n", title,
              int(41 - std::string(title).size()), "", "host", "stream",
              "queued", "graph");
  for (const Call &timed : calls) {
    timed.run();
    double host = timeHost(timed);
    std::printf("%-48s%9.2f", timed.name.c_str(), host);
    auto run = [&] {
      for (int i = 0; i < kQueued; ++i)
        timed.run();
    };
    if (!timed.isQuery) {
      std::printf("%9.2f", timeStream(run, false) / kQueued);
      std::printf("%9.2f", timeStream(run, true) / kQueued);
      if (timed.isCaptured)
        std::printf("%9.2f", timeGraph(timed));
    }
    std::printf("\n");
    std::fflush(stdout);
  }
}

__global__ void doNothing() {}
/// As many parameters as the transport's kernel has.
__global__ void takeTwelve(void *, uint64_t, void *, uint64_t, void *, uint64_t,
                           void *, uint64_t, void *, uint64_t, void *,
                           uint64_t) {}

/// `ctas` blocks, with as much shared memory as the transport's kernel has.
std::function<void()> launch(const void *kernel, int ctas, int shared,
                             std::vector<uint64_t> values) {
  CUfunction function;
  cudaFunction_t handle;
  require(cudaGetFuncBySymbol(&handle, kernel), "cudaGetFuncBySymbol");
  function = handle;
  if (shared)
    require(cuFuncSetAttribute(function,
                               CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                               shared),
            "cuFuncSetAttribute");
  return [=]() mutable {
    CUlaunchConfig config = {};
    config.gridDimX = ctas;
    config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
    config.blockDimX = 32;
    config.sharedMemBytes = shared;
    config.hStream = stream;
    void *pointers[16];
    for (size_t i = 0; i < values.size(); ++i)
      pointers[i] = &values[i];
    require(cuLaunchKernelEx(&config, function, pointers, nullptr),
            "cuLaunchKernelEx");
  };
}

/// A hand-written ring, as the transport's kernel would be without our host.
std::function<void()> launchRing(char *target, const char *source,
                                 uint64_t bytes, int ctas) {
  Ring ring;
  ring.target = target;
  ring.source = source;
  ring.bytes = bytes;
  ring.ctas = ctas;
  int shared = ring.tile * ring.slots;
  auto kernel = moveTiles<3, false>;
  require(cudaFuncSetAttribute(
              kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared),
          "cudaFuncSetAttribute");
  return [=] {
    kernel<<<ctas, 32, shared, stream>>>(ring);
    require(cudaGetLastError(), "moveTiles");
  };
}

struct Group {
  std::vector<carousel_context *> contexts;
  std::vector<carousel_comm *> comms;
  std::vector<carousel_symmetric *> buffers;
  uint64_t there = 0; ///< rank 1's part as mapped on GPU 0
};

Group connect(int gpus, const char *package, uint64_t bytes) {
  Group group;
  for (int rank = 0; rank < 2; ++rank) {
    carousel_context_options options;
    carousel_context_options_init(&options, sizeof options);
    options.device = rank % gpus;
    group.contexts.emplace_back();
    call(carousel_context_create(&options, &group.contexts.back()));
  }
  carousel_comm_options options;
  carousel_comm_options_init(&options, sizeof options);
  options.transport_package = package;
  group.comms.resize(2);
  group.buffers.resize(2);
  call(carousel_comm_connect_local(group.contexts.data(), 2, &options,
                                   group.comms.data()));
  call(carousel_symmetric_allocate_all(group.comms.data(), 2, bytes, 4,
                                       group.buffers.data()));
  call(carousel_symmetric_address(group.buffers[0], 1, &group.there));
  return group;
}

std::vector<Call> getDriverCalls(uint64_t there, char *here, char *other,
                                 int gpus) {
  std::vector<Call> calls;
  calls.push_back(
      {"cuPointerGetAttribute of local memory",
       [=] {
         unsigned type;
         require(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                       reinterpret_cast<CUdeviceptr>(here)),
                 "cuPointerGetAttribute");
       },
       true});
  calls.push_back({"cuCtxGetCurrent",
                   [=] {
                     CUcontext context;
                     require(cuCtxGetCurrent(&context), "cuCtxGetCurrent");
                   },
                   true});
  calls.push_back({"cuStreamIsCapturing",
                   [=] {
                     CUstreamCaptureStatus status;
                     require(cuStreamIsCapturing(stream, &status),
                             "cuStreamIsCapturing");
                   },
                   true});
  for (uint64_t bytes : {4096, 1 << 20})
    calls.push_back(
        {"cuMemcpyDtoDAsync to the peer, " + std::to_string(bytes >> 10) +
             " KiB",
         [=] {
           require(cuMemcpyDtoDAsync(there, reinterpret_cast<CUdeviceptr>(here),
                                     bytes, stream),
                   "cuMemcpyDtoDAsync");
         }});
  calls.push_back(
      {"cudaMemcpyPeerAsync, 4 KiB",
       [=] {
         require(cudaMemcpyPeerAsync(other, gpus - 1, here, 0, 4096, stream),
                 "cudaMemcpyPeerAsync");
       },
       false, false});
  calls.push_back(
      {"cuMemcpyDtoDAsync within the GPU, 4 KiB", [=] {
         auto address = reinterpret_cast<CUdeviceptr>(here);
         require(cuMemcpyDtoDAsync(address + 65536, address, 4096, stream),
                 "cuMemcpyDtoDAsync");
       }});
  return calls;
}

std::vector<Call> getKernels(uint64_t there, char *here) {
  std::vector<Call> calls;
  auto empty = reinterpret_cast<const void *>(doNothing);
  auto twelve = reinterpret_cast<const void *>(takeTwelve);
  std::vector<uint64_t> values(12);
  calls.push_back({"an empty kernel", launch(empty, 1, 0, {})});
  calls.push_back({"12 parameters", launch(twelve, 1, 0, values)});
  calls.push_back({"12 parameters, 96 KiB of shared memory",
                   launch(twelve, 1, 98304, values)});
  calls.push_back({"12 parameters, 96 KiB of shared memory, x16",
                   launch(twelve, 16, 98304, values)});
  auto target = reinterpret_cast<char *>(there);
  calls.push_back({"hand-written ring to the peer, 16 KiB",
                   launchRing(target, here, 16384, 1)});
  calls.push_back({"hand-written ring to the peer, 1 MiB, x16",
                   launchRing(target, here, 1 << 20, 16)});
  calls.push_back({"hand-written ring from the peer, 16 KiB",
                   launchRing(here, target, 16384, 1)});
  calls.push_back({"hand-written ring within the GPU, 16 KiB",
                   launchRing(here + 2097152, here, 16384, 1)});
  return calls;
}

std::vector<Call> getPuts(const Group &group, char *here) {
  std::vector<Call> calls;
  carousel_symmetric *buffer = group.buffers[0];
  auto address = reinterpret_cast<uint64_t>(here);
  const std::pair<const char *, carousel_transport> transports[] = {
      {"copy engine", CAROUSEL_TRANSPORT_COPY_ENGINE},
      {"tma", CAROUSEL_TRANSPORT_TMA},
      {"auto", CAROUSEL_TRANSPORT_AUTO}};
  for (uint64_t bytes : {4096, 16384, 65536, 1 << 17, 1 << 18, 1 << 19, 1 << 20,
                         1 << 21, 1 << 22})
    for (auto [name, transport] : transports) {
      std::string what =
          std::string(name) + ", " + std::to_string(bytes >> 10) + " KiB";
      calls.push_back({"put by " + what, [=, kind = transport] {
                         call(carousel_symmetric_put(buffer, 1, 0, address,
                                                     bytes, kind, 0, stream));
                       }});
      calls.push_back({"get by " + what, [=, kind = transport] {
                         call(carousel_symmetric_get(buffer, 1, 0, address,
                                                     bytes, kind, 0, stream));
                       }});
      calls.push_back(
          {"put and signal by " + what, [=, kind = transport] {
             call(carousel_symmetric_put_signal(buffer, 1, 0, address, bytes, 0,
                                                1, kind, 0, stream));
           }});
    }
  calls.push_back({"signal", [=] {
                     call(carousel_symmetric_signal(buffer, 1, 0, 1, stream));
                   }});
  return calls;
}

/// The transport's kernel on bytes of whole tiles, without the transport.
std::vector<Call> getLaunches(const Group &group, const char *package,
                              uint64_t here) {
  carousel_package *opened;
  carousel_kernel *kernel;
  call(carousel_package_open(package, &opened));
  call(carousel_kernel_get(group.contexts[0], opened, "copy_bytes", &kernel));
  static const int64_t extents[] = {16384, 0};
  static carousel_argument arguments[7];
  uint64_t data[] = {here, group.there, here, group.there, here, group.there};
  for (int i = 0; i < 6; ++i) {
    arguments[i] = {};
    arguments[i].kind = CAROUSEL_TENSOR;
    arguments[i].element = CAROUSEL_I8;
    arguments[i].rank = 1;
    arguments[i].data = data[i];
    arguments[i].extents = &extents[i < 2 ? 0 : 1];
  }
  arguments[6] = {};
  arguments[6].kind = CAROUSEL_SCALAR;
  arguments[6].element = CAROUSEL_INDEX;
  arguments[6].value = 1;
  carousel_launch *prepared;
  call(carousel_kernel_prepare(kernel, nullptr, arguments, 7, &prepared));
  return {{"carousel_launch_run of its kernel, 16 KiB",
           [=] { call(carousel_launch_run(prepared, stream)); }},
          {"carousel_kernel_launch of its kernel, 16 KiB", [=] {
             call(carousel_kernel_launch(kernel, arguments, 7, stream));
           }}};
}

/// Both ranks put to each other at once, by graphs, which the host launches
/// together: it sees when both have ended.
void reportBoth(const Group &group, char *here, char *other, int gpus) {
  std::printf("\n== puts both ways at once, as nodes of CUDA graphs, us\n");
  constexpr int kLaunches = 10;
  cudaStream_t both[2] = {stream, nullptr};
  require(cudaSetDevice(gpus - 1), "cudaSetDevice");
  require(cudaStreamCreateWithFlags(&both[1], cudaStreamNonBlocking),
          "cudaStreamCreate");
  char *sources[2] = {here, other};
  for (uint64_t bytes : {4096, 65536, 1 << 18, 1 << 20, 1 << 22})
    for (carousel_transport kind :
         {CAROUSEL_TRANSPORT_COPY_ENGINE, CAROUSEL_TRANSPORT_TMA}) {
      cudaGraphExec_t executables[2];
      for (int rank = 0; rank < 2; ++rank) {
        cudaGraph_t graph;
        require(cudaSetDevice(rank % gpus), "cudaSetDevice");
        require(cudaStreamBeginCapture(both[rank],
                                       cudaStreamCaptureModeThreadLocal),
                "cudaStreamBeginCapture");
        for (int i = 0; i < kBurst; ++i)
          call(carousel_symmetric_put(group.buffers[rank], 1 - rank, 0,
                                      reinterpret_cast<uint64_t>(sources[rank]),
                                      bytes, kind, 0, both[rank]));
        require(cudaStreamEndCapture(both[rank], &graph),
                "cudaStreamEndCapture");
        require(cudaGraphInstantiate(&executables[rank], graph, 0),
                "cudaGraphInstantiate");
        require(cudaGraphDestroy(graph), "cudaGraphDestroy");
      }
      std::vector<double> times;
      for (int round = 0; round < 9; ++round) {
        for (cudaStream_t each : both)
          require(cudaStreamSynchronize(each), "a graph");
        auto begin = std::chrono::steady_clock::now();
        for (int i = 0; i < kLaunches; ++i)
          for (int rank = 0; rank < 2; ++rank) {
            require(cudaSetDevice(rank % gpus), "cudaSetDevice");
            require(cudaGraphLaunch(executables[rank], both[rank]),
                    "cudaGraphLaunch");
          }
        for (cudaStream_t each : both)
          require(cudaStreamSynchronize(each), "a graph");
        times.push_back(getMicroseconds(begin) / kBurst / kLaunches);
      }
      for (cudaGraphExec_t executable : executables)
        require(cudaGraphExecDestroy(executable), "cudaGraphExecDestroy");
      std::printf(
          "%-48s%9.2f\n",
          ((kind == CAROUSEL_TRANSPORT_TMA ? "tma, " : "copy engine, ") +
           std::to_string(bytes >> 10) + " KiB")
              .c_str(),
          median(times));
      std::fflush(stdout);
    }
  require(cudaSetDevice(0), "cudaSetDevice");
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: peer-launches PACKAGE\n");
    return 2;
  }
  int gpus = openGPUs();
  require(cudaSetDevice(0), "cudaSetDevice");
  require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
          "cudaStreamCreate");
  void *word, *mapped;
  require(cudaHostAlloc(&word, 4, cudaHostAllocMapped), "cudaHostAlloc");
  require(cudaHostGetDevicePointer(&mapped, word, 0), "its address");
  gate = static_cast<uint32_t *>(word);
  gateAddress = reinterpret_cast<CUdeviceptr>(mapped);
  constexpr uint64_t kBytes = 4 << 20;
  char *here, *other;
  require(cudaMalloc(&here, kBytes), "cudaMalloc");
  require(cudaSetDevice(gpus - 1), "cudaSetDevice");
  require(cudaMalloc(&other, kBytes), "cudaMalloc");
  require(cudaSetDevice(0), "cudaSetDevice");
  Group group = connect(gpus, argv[1], kBytes);

  report("calls of the driver", getDriverCalls(group.there, here, other, gpus));
  report("kernels by cuLaunchKernelEx and cudart",
         getKernels(group.there, here));
  report("the transport's kernel",
         getLaunches(group, argv[1], reinterpret_cast<uint64_t>(here)));
  report("transfers of the runtime", getPuts(group, here));
  reportBoth(group, here, other, gpus);
  for (carousel_symmetric *buffer : group.buffers)
    carousel_symmetric_free(buffer);
  for (carousel_comm *comm : group.comms)
    carousel_comm_destroy(comm);
  for (carousel_context *context : group.contexts)
    carousel_context_destroy(context);
  return 0;
}
