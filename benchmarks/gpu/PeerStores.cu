//===- PeerStores.cu - why puts and gets reach what they reach ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Usage: peer-stores. Rates of kernels that differ in one choice from the
// transport's, in GB/s: puts and gets of each of two GPUs, and accesses to its
// own memory. What changes a rate is its cause; what doesn't is none.
//
//===----------------------------------------------------------------------===//

#include "PeerKernels.h"
#include "PeerSupport.h"

#include <chrono>
#include <cstdarg>
#include <functional>
#include <string>

using namespace carousel::peer_bench;

namespace {

constexpr uint64_t kBytes = uint64_t(256) << 20;
constexpr int kRepeats = 5, kSamples = 5;

int gpus = 1, multiprocessors = 0;
char *memory[2][2]; ///< by GPU: a buffer for the own kernels, one for peers'
cudaStream_t streams[2];

/// Where a kernel of a GPU reads and writes.
struct Side {
  const char *name;
  int gpu;
  char *target;
  const char *source;
};

Side getPut(int gpu) {
  return {gpu ? "put 1>0" : "put 0>1", gpu, memory[(gpu + 1) % gpus][1],
          memory[gpu][0]};
}
Side getGet(int gpu) {
  return {gpu ? "get 1<0" : "get 0<1", gpu, memory[gpu][0],
          memory[(gpu + 1) % gpus][1]};
}
Side getOwn(int gpu) {
  return {gpu ? "own 1" : "own 0", gpu, memory[gpu][1], memory[gpu][0]};
}

using Work = std::function<void(const Side &)>;

/// GB/s of `work`, which moves kBytes: the median of samples.
double measure(const Side &side, const Work &work) {
  require(cudaSetDevice(side.gpu), "cudaSetDevice");
  cudaEvent_t begin, end;
  require(cudaEventCreate(&begin), "cudaEventCreate");
  require(cudaEventCreate(&end), "cudaEventCreate");
  work(side);
  std::vector<double> rates;
  for (int sample = 0; sample < kSamples; ++sample) {
    require(cudaEventRecord(begin, streams[side.gpu]), "cudaEventRecord");
    for (int i = 0; i < kRepeats; ++i)
      work(side);
    require(cudaEventRecord(end, streams[side.gpu]), "cudaEventRecord");
    require(cudaEventSynchronize(end), "a kernel");
    float milliseconds = 0;
    require(cudaEventElapsedTime(&milliseconds, begin, end), "elapsed");
    rates.push_back(kRepeats * kBytes / milliseconds / 1e6);
  }
  require(cudaEventDestroy(begin), "cudaEventDestroy");
  require(cudaEventDestroy(end), "cudaEventDestroy");
  return median(rates);
}

template <int Pending, bool IsComplete = false>
void launch(const Ring &ring, cudaStream_t stream) {
  auto kernel = moveTiles<Pending, IsComplete>;
  bool isChosen = ring.firstSM >= 0;
  cudaLaunchConfig_t config = {};
  config.gridDim = isChosen ? multiprocessors : int(ring.ctas);
  config.blockDim = 32;
  config.dynamicSmemBytes =
      isChosen || ring.isAlone ? 200 * 1024 : ring.tile * ring.slots;
  config.stream = stream;
  cudaLaunchAttribute cluster = {};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {ring.cluster, 1, 1};
  config.attrs = &cluster;
  config.numAttrs = ring.cluster > 1;
  require(cudaFuncSetAttribute(kernel,
                               cudaFuncAttributeMaxDynamicSharedMemorySize,
                               int(config.dynamicSmemBytes)),
          "cudaFuncSetAttribute");
  require(cudaFuncSetAttribute(
              kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1),
          "cudaFuncSetAttribute");
  require(cudaLaunchKernelEx(&config, kernel, ring), "moveTiles");
}

template <int Pending = 3, bool IsComplete = false> Work move(Ring ring) {
  ring.bytes = kBytes;
  return [ring](const Side &side) {
    Ring moved = ring;
    moved.target = side.target;
    moved.source = side.source;
    launch<Pending, IsComplete>(moved, streams[side.gpu]);
  };
}

Ring make(uint32_t ctas, Mode mode = Mode::Copy) {
  Ring ring;
  ring.ctas = ctas;
  ring.mode = mode;
  return ring;
}

template <Mode Way> Work moveByThreads(int ctas, int threads) {
  return [=](const Side &side) {
    moveWords<Way, 4><<<ctas, threads, 0, streams[side.gpu]>>>(
        reinterpret_cast<uint4 *>(side.target),
        reinterpret_cast<const uint4 *>(side.source), kBytes / 16);
    require(cudaGetLastError(), "moveWords");
  };
}

Work copyByEngine() {
  return [](const Side &side) {
    require(cudaMemcpyAsync(side.target, side.source, kBytes, cudaMemcpyDefault,
                            streams[side.gpu]),
            "cudaMemcpyAsync");
  };
}

void title(const char *text) {
  std::printf("\n== %s, GB/s\n%-34s", text, "");
  for (const char *name : {"put 0>1", "put 1>0", "get 0<1", "get 1<0", "own 0"})
    std::printf("%9s", name);
  std::printf("\n");
}

void row(const std::string &name, const Work &work) {
  std::printf("%-34s", name.c_str());
  std::vector<Side> sides = {getPut(0), getPut(gpus - 1), getGet(0),
                             getGet(gpus - 1), getOwn(0)};
  for (const Side &side : sides)
    std::printf("%9.1f", measure(side, work));
  std::printf("\n");
  std::fflush(stdout);
}

std::string label(const char *format, ...) {
  char text[128];
  va_list list;
  va_start(list, format);
  std::vsnprintf(text, sizeof text, format, list);
  va_end(list);
  return text;
}

void compareParts() {
  title("copies, and their halves alone, by number of CTAs");
  row("copy engine", copyByEngine());
  for (int ctas : {4, 8, 16, 32, 64, 132}) {
    row(label("copy x%d", ctas), move(make(ctas)));
    row(label("  stores without loads x%d", ctas),
        move(make(ctas, Mode::Write)));
    Ring reads = make(ctas, Mode::Read);
    row(label("  loads without stores x%d", ctas), move(reads));
  }
}

void compareShapes() {
  title("stores without loads, by size of a bulk store, 32 CTAs");
  for (uint32_t tile : {512, 1024, 2048, 4096, 8192, 16384, 32768}) {
    Ring ring = make(32, Mode::Write);
    ring.tile = tile;
    row(label("%u bytes, 7 reading", tile), move<7>(ring));
  }
  title("stores without loads, by stores under way, 16 KiB");
  for (int ctas : {8, 16, 32}) {
    Ring ring = make(ctas, Mode::Write);
    row(label("x%d, 1 reading", ctas), move<1>(ring));
    row(label("x%d, 5 reading", ctas), move<5>(ring));
    row(label("x%d, 0 incomplete", ctas), move<0, true>(ring));
    row(label("x%d, 1 incomplete", ctas), move<1, true>(ring));
    row(label("x%d, 3 incomplete", ctas), move<3, true>(ring));
    row(label("x%d, 7 incomplete", ctas), move<7, true>(ring));
  }
  title("copies of 32 CTAs, by order and policy");
  row("every 32nd tile", move(make(32)));
  Ring ring = make(32);
  ring.isBlocked = true;
  row("a part for each CTA", move(ring));
  ring = make(32);
  ring.hint = Hint::EvictFirst;
  row("evict_first of stores", move(ring));
  ring.hint = Hint::EvictLast;
  row("evict_last of stores", move(ring));
  title("copies of 32 CTAs within a window of the memory");
  for (int shift : {20, 22, 24, 26}) {
    ring = make(32);
    ring.targetMask = (uint64_t(1) << shift) - 1;
    row(label("target of %d MiB", 1 << (shift - 20)), move(ring));
    ring = make(32);
    ring.sourceMask = (uint64_t(1) << shift) - 1;
    row(label("source of %d MiB", 1 << (shift - 20)), move(ring));
  }
}

void compareThreads() {
  title("by loads and stores of 16 bytes of threads");
  for (int ctas : {16, 32, 64, 132}) {
    row(label("copy x%d of 512", ctas), moveByThreads<Mode::Copy>(ctas, 512));
    row(label("  stores alone x%d", ctas),
        moveByThreads<Mode::Write>(ctas, 512));
    row(label("  loads alone x%d", ctas), moveByThreads<Mode::Read>(ctas, 512));
  }
}

/// The multiprocessors that a grid's CTAs start on.
__global__ void notePlaces(uint32_t *out) {
  uint32_t sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  out[blockIdx.x] = sm;
  uint64_t begin = clock64();
  while (clock64() - begin < 20000) {
  }
}

void printPlaces(int ctas, unsigned cluster) {
  for (int gpu = 0; gpu < gpus; ++gpu) {
    require(cudaSetDevice(gpu), "cudaSetDevice");
    cudaLaunchConfig_t config = {};
    config.gridDim = ctas;
    config.blockDim = 32;
    config.dynamicSmemBytes = 98304;
    config.stream = streams[gpu];
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {cluster, 1, 1};
    config.attrs = &attribute;
    config.numAttrs = cluster > 1;
    require(cudaFuncSetAttribute(
                notePlaces, cudaFuncAttributeMaxDynamicSharedMemorySize, 98304),
            "cudaFuncSetAttribute");
    require(cudaFuncSetAttribute(
                notePlaces, cudaFuncAttributeNonPortableClusterSizeAllowed, 1),
            "cudaFuncSetAttribute");
    uint32_t *out;
    std::vector<uint32_t> places(ctas);
    require(cudaMalloc(&out, ctas * 4), "cudaMalloc");
    require(cudaLaunchKernelEx(&config, notePlaces, out), "notePlaces");
    require(cudaStreamSynchronize(streams[gpu]), "notePlaces");
    require(cudaMemcpy(places.data(), out, ctas * 4, cudaMemcpyDefault),
            "copy");
    require(cudaFree(out), "cudaFree");
    std::printf("GPU %d, grid of %d, clusters of %u:", gpu, ctas, cluster);
    for (uint32_t sm : places)
      std::printf(" %u", sm);
    std::printf("\n");
  }
}

void comparePlaces() {
  title("copies of 16 CTAs by where they are");
  row("wherever they start", move(make(16)));
  Ring ring = make(16);
  ring.isAlone = true;
  row("  with 200 KiB of shared memory", move(ring));
  ring = make(16);
  ring.isScattered = true;
  row("  tiles in another order", move(ring));
  for (uint32_t step : {1, 2, 3, 4, 6, 8})
    for (int first : {0, 1, 64}) {
      if (first + int(step) * 15 >= multiprocessors)
        continue;
      ring = make(16);
      ring.firstSM = first;
      ring.stepSM = step;
      row(label("SM %d and each %u after it", first, step), move(ring));
      if (step != 1)
        continue;
      ring.isScattered = true;
      row("  tiles in another order", move(ring));
    }
  title("copies by clusters");
  for (uint32_t ctas : {4, 8, 16, 32, 64})
    for (uint32_t cluster : {1, 2, 4, 8, 16}) {
      if (cluster > ctas)
        continue;
      ring = make(ctas);
      ring.cluster = cluster;
      row(label("x%u, clusters of %u", ctas, cluster), move(ring));
    }
  std::printf("\n== multiprocessors of CTAs\n");
  for (int ctas : {8, 16, 32})
    for (unsigned cluster : {1, 2, 8, 16})
      if (int(cluster) <= ctas)
        printPlaces(ctas, cluster);
}

/// Both sides at once, by the clock of the host; GB/s of each direction's sum.
void together(const char *name, const Side &a, const Work &first, const Side &b,
              const Work &second) {
  constexpr int kTimes = 20;
  double best = 0;
  for (int sample = 0; sample < 3; ++sample) {
    for (int gpu = 0; gpu < gpus; ++gpu) {
      require(cudaSetDevice(gpu), "cudaSetDevice");
      require(cudaDeviceSynchronize(), "a kernel");
    }
    auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < kTimes; ++i) {
      require(cudaSetDevice(a.gpu), "cudaSetDevice");
      first(a);
      require(cudaSetDevice(b.gpu), "cudaSetDevice");
      second(b);
    }
    for (int gpu = 0; gpu < gpus; ++gpu)
      require(cudaStreamSynchronize(streams[gpu]), "a kernel");
    std::chrono::duration<double> time =
        std::chrono::steady_clock::now() - begin;
    best = std::max(best, 2.0 * kTimes * kBytes / time.count() / 1e9);
  }
  std::printf("%-52s%9.1f\n", name, best);
  std::fflush(stdout);
}

void compareDirections() {
  if (gpus < 2)
    return;
  std::printf("\n== two GPUs at once, GB/s of both together\n");
  Work bulk = move(make(32)), engine = copyByEngine();
  together("put 0>1 and put 1>0, x32", getPut(0), bulk, getPut(1), bulk);
  together("get 0<1 and get 1<0, x32", getGet(0), bulk, getGet(1), bulk);
  together("put 0>1 and get 1<0 (one direction), x32", getPut(0), bulk,
           getGet(1), bulk);
  together("put 1>0 and get 0<1 (one direction), x32", getPut(1), bulk,
           getGet(0), bulk);
  together("copy engines 0>1 and 1>0", getPut(0), engine, getPut(1), engine);
  together("put 0>1 by engine and get 1<0 by engine", getPut(0), engine,
           getGet(1), engine);
  together("put 0>1 x32 and get 1<0 by engine", getPut(0), bulk, getGet(1),
           engine);
}

__global__ void countCycles(uint64_t *out) {
  uint64_t start, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  uint64_t begin = clock64();
  do
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  while (now - start < 2000000);
  out[0] = clock64() - begin;
  out[1] = now - start;
}

void printClocks() {
  for (int gpu = 0; gpu < gpus; ++gpu) {
    require(cudaSetDevice(gpu), "cudaSetDevice");
    cudaDeviceProp properties;
    require(cudaGetDeviceProperties(&properties, gpu), "properties");
    uint64_t *out, values[2];
    require(cudaMalloc(&out, sizeof values), "cudaMalloc");
    countCycles<<<1, 1, 0, streams[gpu]>>>(out);
    require(cudaStreamSynchronize(streams[gpu]), "countCycles");
    require(cudaMemcpy(values, out, sizeof values, cudaMemcpyDefault), "copy");
    std::printf("GPU %d: %s, %d multiprocessors, L2 %d MiB, clock %.0f MHz\n",
                gpu, properties.name, properties.multiProcessorCount,
                properties.l2CacheSize >> 20,
                1e3 * double(values[0]) / double(values[1]));
    require(cudaFree(out), "cudaFree");
  }
}

/// Checks the results of a copy by tiles and of one by threads.
void check() {
  for (int gpu = 0; gpu < gpus; ++gpu)
    for (int way = 0; way < 2; ++way) {
      Side side = getPut(gpu);
      std::vector<uint32_t> sent(kBytes / 4), got(kBytes / 4);
      uint32_t state = 17 + gpu * 2 + way;
      for (uint32_t &word : sent)
        word = state = state * 1664525 + 1013904223;
      require(cudaSetDevice(gpu), "cudaSetDevice");
      require(cudaMemcpy(const_cast<char *>(side.source), sent.data(), kBytes,
                         cudaMemcpyDefault),
              "copy");
      (way ? moveByThreads<Mode::Copy>(64, 512) : move(make(16)))(side);
      require(cudaStreamSynchronize(streams[gpu]), "a kernel");
      require(cudaMemcpy(got.data(), side.target, kBytes, cudaMemcpyDefault),
              "copy");
      if (sent != got) {
        std::fprintf(stderr, "WRONG bytes of %s\n", side.name);
        std::exit(1);
      }
    }
}

} // namespace

int main() {
  gpus = openGPUs();
  for (int gpu = 0; gpu < gpus; ++gpu) {
    require(cudaSetDevice(gpu), "cudaSetDevice");
    require(cudaStreamCreateWithFlags(&streams[gpu], cudaStreamNonBlocking),
            "cudaStreamCreate");
    for (char *&buffer : memory[gpu]) {
      require(cudaMalloc(&buffer, kBytes), "cudaMalloc");
      require(cudaMemset(buffer, gpu, kBytes), "cudaMemset");
    }
  }
  require(cudaDeviceGetAttribute(&multiprocessors,
                                 cudaDevAttrMultiProcessorCount, 0),
          "multiprocessors");
  check();
  printClocks();
  compareParts();
  compareShapes();
  compareThreads();
  comparePlaces();
  compareDirections();
  printClocks();
  return 0;
}
