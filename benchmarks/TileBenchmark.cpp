//===- TileBenchmark.cpp - time from the tile phase to PTX and cubin ------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each file of examples/tile, all its kernels with all their variants (`ptx_`,
// `cubin_`); each of its kernels alone, of the variants the one with the best
// engines, as a compiler has it compiled that knows the arguments (`first_`),
// in a context without threads; and kernels that are made: N transfers a stage
// (`BM_Transfers/N`), N stages (`BM_Stages/N`). A run is what an embedder does:
// a package in memory, of PTX or with the cubin behind it, of several kernels
// on as many threads as there are cores, as real time; the processor time is
// that of all threads. `kernels` counts the kernels of the source, `entries`
// those of the PTX.
//
//===----------------------------------------------------------------------===//

#include "CompileContext.h"
#include "carousel/Package/CompilePackage.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <benchmark/benchmark.h>

using namespace mlir;
using namespace carousel;
using carousel::benchmarks::parse;
using carousel::benchmarks::Threads;

namespace {

constexpr llvm::StringLiteral kChip = "sm_90a";

/// One input of the kernel, its tile, what a thread adds of it.
constexpr llvm::StringLiteral kArgument =
    R"(%x$: !vector {carousel.argument = #carousel.argument<"x$", in>}, )";
constexpr llvm::StringLiteral kTile =
    "  %t$ = memref.alloc() {alignment = 128 : i64} : !flat\n";
constexpr llvm::StringLiteral kTransfer = R"mlir(
    carousel.load %x$[%i] to %t$ : !vector, !flat
    %v$ = memref.load %t$[%thread] : !flat
    %s$ = arith.addf %s@, %v$ : f32
)mlir";

/// Where something is: by the environment, on another machine than the one that
/// built.
std::string getPlace(const char *variable, StringRef built) {
  const char *place = std::getenv(variable);
  return place ? place : built.str();
}

std::string numberText(StringRef text, int64_t number) {
  std::string filled;
  for (char c : text)
    filled += c == '$'   ? std::to_string(number)
              : c == '@' ? std::to_string(number - 1)
                         : std::string(1, c);
  return filled;
}

/// The sum of `transfers` vectors, tile by tile.
std::string makeKernel(int64_t transfers, int64_t stages) {
  std::string arguments, tiles, body;
  for (int64_t i = 1; i <= transfers; ++i) {
    arguments += numberText(kArgument, i);
    tiles += numberText(kTile, i);
    body += numberText(kTransfer, i);
  }
  return R"mlir(
!vector = memref<?xf32, #gpu.address_space<global>>
!flat = memref<256xf32, #gpu.address_space<workgroup>>
gpu.module @kernels {
gpu.func @sum()mlir" +
         arguments + R"mlir(
    %y: !vector {carousel.argument = #carousel.argument<"y", out>}) kernel
    attributes {carousel.launch = #carousel.launch<grid = [sms], block = [256]>} {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %s0 = arith.constant 0.0 : f32
  %thread = gpu.thread_id x
  %block = gpu.block_id x
  %blocks = gpu.grid_dim x
  %first = arith.muli %block, %c256 : index
  %step = arith.muli %blocks, %c256 : index
  %n = memref.dim %y, %c0 : !vector
)mlir" + tiles +
         R"mlir(
  %out = memref.alloc() {alignment = 128 : i64} : !flat
  scf.for %i = %first to %n step %step {
)mlir" + body +
         "    memref.store %s" + std::to_string(transfers) +
         R"mlir(, %out[%thread] : !flat
    carousel.store %out to %y[%i] : !flat, !vector
  } {carousel.pipeline = #carousel.pipeline<stages = )mlir" +
         std::to_string(stages) + R"mlir(>}
  gpu.return
}
}
)mlir";
}

CompilePackageOptions getOptions(bool toCubin) {
  using Cubins = CompilePackageOptions::Cubins;
  CompilePackageOptions options;
  options.chips = {kChip.str()};
  options.cudaRoot = getPlace("CUDA_HOME", CAROUSEL_CUDA_ROOT);
  options.cubins = toCubin ? Cubins::Required : Cubins::Never;
  return options;
}

int64_t countEntries(const Package &package) {
  int64_t entries = 0;
  for (const PackageFile &file : package.files)
    if (StringRef(file.name).ends_with(".ptx"))
      entries += StringRef(file.contents).count(".entry");
  return entries;
}

/// A compilation of a file.
struct Task {
  bool toCubin = false;
  std::string kernel; ///< its first variant; all variants of all if empty
};

void run(benchmark::State &state, const std::string &text, const Task &task) {
  OwningOpRef<ModuleOp> module =
      parse(text, task.kernel.empty() ? Threads::Many : Threads::One);
  if (!module)
    return state.SkipWithError("the kernel doesn't parse");
  if (!task.kernel.empty())
    module->walk([&](gpu::GPUFuncOp kernel) {
      if (kernel.isKernel() && kernel.getName() != task.kernel)
        kernel.erase();
    });
  int64_t kernels = 0, entries = 0;
  module->walk([&](gpu::GPUFuncOp kernel) { kernels += kernel.isKernel(); });
  CompilePackageOptions options = getOptions(task.toCubin);
  if (!task.kernel.empty())
    options.wanted = [](StringRef, ArrayRef<GuardAttr>) { return true; };
  PackageCompiler compiler(module->getContext());
  for (auto _ : state) {
    FailureOr<Package> package = compiler.compile(*module, options);
    if (failed(package))
      return state.SkipWithError("compilation failed");
    state.PauseTiming();
    entries = countEntries(*package);
    package = failure();
    state.ResumeTiming();
  }
  state.counters["kernels"] = kernels;
  state.counters["entries"] = entries;
}

void BM_Transfers(benchmark::State &state) {
  run(state, makeKernel(state.range(0), /*stages=*/2), {});
}

void BM_Stages(benchmark::State &state) {
  run(state, makeKernel(/*transfers=*/2, state.range(0)), {});
}

BENCHMARK(BM_Transfers)
    ->Arg(2)
    ->Arg(4)
    ->Arg(8)
    ->Arg(16)
    ->Arg(32)
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(BM_Stages)
    ->Arg(2)
    ->Arg(4)
    ->Arg(8)
    ->Arg(16)
    ->Arg(32)
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

} // namespace

/// A benchmark that is left out looks like one that passed.
[[noreturn]] static void fail(StringRef file, std::error_code error) {
  llvm::errs() << "error: " << file << ": cannot read: " << error.message()
               << '\n';
  std::exit(1);
}

void carousel::benchmarks::registerExamples() {
  std::error_code error;
  std::vector<std::string> files;
  std::string examples =
      getPlace("CAROUSEL_TILE_EXAMPLES", CAROUSEL_TILE_EXAMPLES);
  for (llvm::sys::fs::directory_iterator entry(examples, error), end;
       entry != end && !error; entry.increment(error))
    if (StringRef(entry->path()).ends_with(".mlir"))
      files.push_back(entry->path());
  if (error)
    fail(examples, error);
  llvm::sort(files);
  for (const std::string &file : files) {
    auto buffer = llvm::MemoryBuffer::getFile(file);
    if (!buffer)
      fail(file, buffer.getError());
    std::string text = (*buffer)->getBuffer().str();
    auto add = [&](const llvm::Twine &name, const Task &task) {
      benchmark::RegisterBenchmark(
          name.str().c_str(),
          [=](benchmark::State &state) { run(state, text, task); })
          ->MeasureProcessCPUTime()
          ->UseRealTime()
          ->Unit(benchmark::kMillisecond);
    };
    StringRef name = llvm::sys::path::stem(file);
    add("ptx_" + name, {});
    // A module that leaves functions to the linker makes no cubin.
    bool isWhole = !StringRef(text).contains("func.func private");
    if (isWhole)
      add("cubin_" + name, {/*toCubin=*/true, ""});
    constexpr llvm::StringLiteral kFunction = "gpu.func @";
    for (StringRef rest = text; rest.contains(kFunction);) {
      rest = rest.split(kFunction).second;
      std::string kernel =
          rest.take_until([](char c) { return c == '('; }).str();
      add("first_ptx_" + kernel, {/*toCubin=*/false, kernel});
      if (isWhole)
        add("first_cubin_" + kernel, {/*toCubin=*/true, kernel});
    }
  }
}
