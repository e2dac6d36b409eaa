//===- CompileBenchmark.cpp - time per kernel -----------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parsing, verifying, lowering and printing a module of N kernels; each is a
// copy through one slot of shared memory with a barrier. `items_per_second`
// counts kernels.
//
//===----------------------------------------------------------------------===//

#include "CompileContext.h"
#include "carousel/Passes/Pipelines.h"
#include "carousel/Target/EmitPTX.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"

#include <benchmark/benchmark.h>

using namespace mlir;
using carousel::benchmarks::getContext;
using carousel::benchmarks::parse;

namespace {

constexpr llvm::StringLiteral kKernel = R"mlir(
  gpu.func @copy_NUMBER(%x: memref<?xf32, #gl>, %y: memref<?xf32, #gl>, %i: index)
      workgroup(%bars: memref<1x!carousel.mbarrier, #ws>,
                %tile: memref<1024xf32, #ws> {llvm.align = 128 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %false = arith.constant false
    %thread = gpu.thread_id x
    %first = arith.cmpi eq, %thread, %c0 : index
    scf.if %first {
      carousel.mbarrier.init %bars[%c0], 1 : memref<1x!carousel.mbarrier, #ws>
      carousel.fence.mbarrier_init
    }
    gpu.barrier
    scf.if %first {
      carousel.mbarrier.arrive_expect_tx %bars[%c0], 4096 : memref<1x!carousel.mbarrier, #ws>
      carousel.bulk.load %x[%i] to %tile[%c0], 4096 signals %bars[%c0]
        : memref<?xf32, #gl>, memref<1024xf32, #ws>, memref<1x!carousel.mbarrier, #ws>
      carousel.mbarrier.wait %bars[%c0] parity %false : memref<1x!carousel.mbarrier, #ws>
      carousel.bulk.store %tile[%c0] to %y[%i], 4096
        : memref<1024xf32, #ws>, memref<?xf32, #gl>
      carousel.bulk.commit_group
      carousel.bulk.wait_group complete 0
    }
    gpu.return
  }
)mlir";

std::string makeModule(int64_t kernels) {
  std::string text =
      "#gl = #gpu.address_space<global>\n#ws = #gpu.address_space<workgroup>\n"
      "gpu.module @kernels {\n";
  auto [before, after] = kKernel.split("NUMBER");
  for (int64_t i = 0; i < kernels; ++i)
    text += (before + std::to_string(i) + after).str();
  return text + "}\n";
}

void finish(benchmark::State &state) {
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void BM_Parse(benchmark::State &state) {
  std::string text = makeModule(state.range(0));
  for (auto _ : state)
    benchmark::DoNotOptimize(parse(text));
  finish(state);
}

void BM_Verify(benchmark::State &state) {
  OwningOpRef<ModuleOp> module = parse(makeModule(state.range(0)));
  for (auto _ : state)
    if (failed(verify(*module)))
      return state.SkipWithError("verification failed");
  finish(state);
}

void BM_Print(benchmark::State &state) {
  OwningOpRef<ModuleOp> module = parse(makeModule(state.range(0)));
  for (auto _ : state) {
    std::string text;
    llvm::raw_string_ostream os(text);
    module->print(os);
    benchmark::DoNotOptimize(text);
  }
  finish(state);
}

bool lower(ModuleOp module) {
  PassManager pm(&getContext());
  pm.enableVerifier(true);
  carousel::buildLowerToNVVMPipeline(pm, carousel::LowerToNVVMOptions());
  return succeeded(pm.run(module));
}

void BM_Lower(benchmark::State &state) {
  OwningOpRef<ModuleOp> original = parse(makeModule(state.range(0)));
  for (auto _ : state) {
    state.PauseTiming();
    OwningOpRef<ModuleOp> module = original->clone();
    state.ResumeTiming();
    if (!lower(*module))
      return state.SkipWithError("lowering failed");
    state.PauseTiming();
    module = nullptr;
    state.ResumeTiming();
  }
  finish(state);
}

void BM_EmitPTX(benchmark::State &state) {
  OwningOpRef<ModuleOp> module = parse(makeModule(state.range(0)));
  if (!lower(*module))
    return state.SkipWithError("lowering failed");
  auto gpuModule = *module->getOps<gpu::GPUModuleOp>().begin();
  for (auto _ : state)
    if (failed(carousel::emitPTX(gpuModule)))
      return state.SkipWithError("emission failed");
  finish(state);
}

#define CAROUSEL_KERNELS                                                       \
  Arg(1)                                                                       \
      ->Arg(10)                                                                \
      ->Arg(100)                                                               \
      ->Arg(1000)                                                              \
      ->MeasureProcessCPUTime()                                                \
      ->UseRealTime()                                                          \
      ->Unit(benchmark::kMillisecond)
BENCHMARK(BM_Parse)->CAROUSEL_KERNELS;
BENCHMARK(BM_Verify)->CAROUSEL_KERNELS;
BENCHMARK(BM_Print)->CAROUSEL_KERNELS;
BENCHMARK(BM_Lower)->CAROUSEL_KERNELS;
BENCHMARK(BM_EmitPTX)->CAROUSEL_KERNELS;

} // namespace

int main(int argc, char **argv) {
  carousel::benchmarks::registerExamples();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
