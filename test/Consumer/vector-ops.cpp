//===- vector-ops.cpp - compiles kernels with ops of an embedder ----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Block programs with the ops of VectorOps.td run on the simulated machine, as
// they are and as passes distribute them to threads, and become PTX and CUDA
// C++. Ops that don't say how they are distributed have errors.
//
//===----------------------------------------------------------------------===//

#include "VectorOps.h"

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "carousel/Passes/Pipelines.h"
#include "carousel/Simulator/Simulator.h"
#include "carousel/Target/AssemblePTX.h"
#include "carousel/Target/EmitCUDA.h"
#include "carousel/Target/EmitPTX.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <functional>
#include <numeric>

using namespace mlir;

namespace {

struct Kernel {
  const char *name, *body;
  int64_t columns, resultColumns;
  /// The element of a column that the kernel computes from a row.
  std::function<float(const float *row, int64_t column)> compute;
  int64_t rows = 8;
  /// Those that a launch with so many columns may take.
  unsigned variants = 1;
  const char *program = "";
  const char *launch = "grid = [8], block = [128]";
  /// The elements of the matrix that is read.
  llvm::StringRef element = "f32";
};

} // namespace

static float leak(float number) { return number < 0 ? number * 0.25f : number; }

/// Elements of the matrix that kernels read, which bf16 has, too.
static std::vector<float> getInput(int64_t first, int64_t count) {
  std::vector<float> elements;
  for (int64_t number = first; number < first + count; ++number)
    elements.push_back(static_cast<float>(number * 37 % 101 - 50) / 4);
  return elements;
}

static float computeCovered(const float *row, int64_t column) {
  return (leak(row[column]) - leak(row[0])) * (leak(row[0]) * 2);
}

static constexpr const char *kCovered = R"(
    %x = vector.transfer_read %in[%row, %c0], %zero
        : !input, vector<1x4096xf32>
    %y = sample.leaky %x, 0.25 : vector<1x4096xf32>
    %first = memref.load %in[%row, %c0] : !input
    %firsts = vector.broadcast %first : f32 to vector<1xf32>
    %own = sample.leaky %firsts, 0.25 : vector<1xf32>
    %number = vector.extract %own[0] : f32 from vector<1xf32>
    %all = vector.broadcast %number : f32 to vector<1x4096xf32>
    %z = arith.subf %y, %all : vector<1x4096xf32>
    %two = arith.constant 2.0 : f32
    %w = sample.scale_rows %z, %own, %two
        : vector<1x4096xf32>, vector<1xf32>, f32 to vector<1x4096xf32>
    vector.transfer_write %w, %out[%row, %c0] : vector<1x4096xf32>, !matrix)";

static std::vector<Kernel> getKernels() {
  return {
      {"leaky", R"(
    %x = vector.transfer_read %in[%row, %c0], %zero {in_bounds = [true, true]}
        : !input, vector<1x512xf32>
    %y = sample.leaky %x, 0.25 : vector<1x512xf32>
    vector.transfer_write %y, %out[%row, %c0] {in_bounds = [true, true]}
        : vector<1x512xf32>, !matrix)",
       512, 512,
       [](const float *row, int64_t column) { return leak(row[column]); }},
      // Its sources are in the same threads, two for each of its elements.
      {"pairs", R"(
    %x = vector.transfer_read %in[%row, %c0], %zero {in_bounds = [true, true]}
        : !input, vector<1x1024xf32>
    %y = sample.pair_sums %x : vector<1x1024xf32> to vector<1x512xf32>
    %z = sample.leaky %y, 0.25 : vector<1x512xf32>
    vector.transfer_write %z, %out[%row, %c0] {in_bounds = [true, true]}
        : vector<1x512xf32>, !matrix)",
       1024, 512,
       [](const float *row, int64_t column) {
         return leak(row[2 * column] + row[2 * column + 1]);
       }},
      // Its sources are in other threads.
      {"reverse", R"(
    %x = vector.transfer_read %in[%row, %c0], %zero {in_bounds = [true, true]}
        : !input, vector<1x512xf32>
    %y = sample.reverse %x : vector<1x512xf32>
    vector.transfer_write %y, %out[%row, %c0] {in_bounds = [true, true]}
        : vector<1x512xf32>, !matrix)",
       512, 512,
       [](const float *row, int64_t column) { return row[511 - column]; }},
      // Pairs in the other order, a few elements of many, and one for several.
      {"flipped", R"(
    %x = vector.transfer_read %in[%row, %c0], %zero {in_bounds = [true, true]}
        : !input, vector<1x512xf32>
    %y = sample.sum %x [affine_map<(i, j) -> (i, 510 - j * 2)>,
                        affine_map<(i, j) -> (i, 511 - j * 2)>]
        : vector<1x512xf32> to vector<1x256xf32>
    vector.transfer_write %y, %out[%row, %c0] {in_bounds = [true, true]}
        : vector<1x256xf32>, !matrix)",
       512, 256,
       [](const float *row, int64_t column) {
         return row[510 - 2 * column] + row[511 - 2 * column];
       }},
      {"few", R"(
    %x = vector.transfer_read %in[%row, %c0], %zero {in_bounds = [true, true]}
        : !input, vector<1x2048xf32>
    %y = sample.sum %x [affine_map<(i, j) -> (i, j + 1984)>]
        : vector<1x2048xf32> to vector<1x64xf32>
    vector.transfer_write %y, %out[%row, %c0] {in_bounds = [true, true]}
        : vector<1x64xf32>, !matrix)",
       2048, 64,
       [](const float *row, int64_t column) { return row[column + 1984]; }},
      {"several", R"(
    %x = vector.transfer_read %in[%row, %c0], %zero {in_bounds = [true, true]}
        : !input, vector<1x64xf32>
    %y = sample.sum %x [affine_map<(i, j) -> (i, 63 - j floordiv 8)>,
                        affine_map<(i, j) -> (i, 31 - j floordiv 8)>]
        : vector<1x64xf32> to vector<1x256xf32>
    vector.transfer_write %y, %out[%row, %c0] {in_bounds = [true, true]}
        : vector<1x256xf32>, !matrix)",
       64, 256,
       [](const float *row, int64_t column) {
         return row[63 - column / 8] + row[31 - column / 8];
       }},
      // Factors of rows, of which each CTA has all, and a number.
      {"scale", R"(
    %x = vector.transfer_read %in[%row, %c0], %zero {in_bounds = [true, true]}
        : !input, vector<1x512xf32>
    %all = vector.transfer_read %in[%c0, %c0], %zero {in_bounds = [true, true]}
        : !input, vector<8x512xf32>
    %low = arith.constant dense<-100.0> : vector<8xf32>
    %most = vector.multi_reduction <maximumf>, %all, %low [1]
        : vector<8x512xf32> to vector<8xf32>
    %two = arith.constant 2.0 : f32
    %scaled = sample.scale_rows %all, %most, %two
        : vector<8x512xf32>, vector<8xf32>, f32 to vector<8x512xf32>
    %own = vector.extract %scaled[%row] : vector<512xf32> from vector<8x512xf32>
    %y = vector.shape_cast %own : vector<512xf32> to vector<1x512xf32>
    vector.transfer_write %y, %out[%row, %c0] {in_bounds = [true, true]}
        : vector<1x512xf32>, !matrix)",
       512, 512,
       [](const float *row, int64_t column) {
         float most = row[0];
         for (int64_t other = 0; other < 512; ++other)
           most = std::max(most, row[other]);
         return row[column] * (most * 2);
       }},
      // Several programs in a CTA.
      {"together", R"(
    %x = vector.transfer_read %in[%row, %c0], %zero : !input, vector<4096xf32>
    %y = sample.leaky %x, 0.25 : vector<4096xf32>
    vector.transfer_write %y, %out[%row, %c0] : vector<4096xf32>, !matrix)",
       96, 96,
       [](const float *row, int64_t column) { return leak(row[column]); }, 8, 8,
       "width = 4096, covers = extent(0, 1)", "grid = [extent(0, 0)]"},
      // Vectors of other widths, and rows that go through in chunks.
      {"narrow", kCovered, 96, 96, computeCovered, 8, 8,
       "width = 4096, covers = extent(0, 1)", "grid = [extent(0, 0)]"},
      {"wide", kCovered, 10000, 10000, computeCovered, 8, 2,
       "width = 4096, covers = extent(0, 1)", "grid = [extent(0, 0)]"},
      // The op has one width: a reversal of other vectors would move other
      // elements.
      {"fixed", R"(
    %x = vector.transfer_read %in[%row, %c0], %zero
        : !input, vector<1x4096xf32>
    %y = sample.reverse %x : vector<1x4096xf32>
    vector.transfer_write %y, %out[%row, %c0]
        : vector<1x4096xf32>, !matrix)",
       96, 96, [](const float *, int64_t) { return 0.0f; }, 8, 1,
       "width = 4096, covers = extent(0, 1)", "grid = [extent(0, 0)]"},
      // Tiles of other extents.
      {"product", R"(
    %column = gpu.block_id y
    %i = arith.muli %row, %c128 : index
    %j = arith.muli %column, %c128 : index
    %none = arith.constant dense<0.0> : vector<128x128xf32>
    %depth = memref.dim %in, %c1 : !input
    %sums = scf.for %k = %c0 to %depth step %c64 iter_args(%sum = %none)
        -> (vector<128x128xf32>) {
      %a = vector.transfer_read %in[%i, %k], %pad : !input, vector<128x64xbf16>
      %b = vector.transfer_read %in[%j, %k], %pad : !input, vector<128x64xbf16>
      %next = vector.contract {
          indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
              affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
          iterator_types = ["parallel", "parallel", "reduction"]} %a, %b, %sum
          : vector<128x64xbf16>, vector<128x64xbf16> into vector<128x128xf32>
      scf.yield %next : vector<128x128xf32>
    } {carousel.pipeline = #carousel.pipeline<>}
    %leaky = sample.leaky %sums, 0.25 : vector<128x128xf32>
    %one = arith.constant dense<1.0> : vector<128xf32>
    %two = arith.constant 2.0 : f32
    %scaled = sample.scale_rows %leaky, %one, %two
        : vector<128x128xf32>, vector<128xf32>, f32 to vector<128x128xf32>
    vector.transfer_write %scaled, %out[%i, %j] : vector<128x128xf32>, !matrix)",
       64, 256,
       [](const float *row, int64_t column) {
         return leak(std::inner_product(
                    row, row + 64, getInput(column * 64, 64).begin(), 0.0f)) *
                2;
       },
       256, 6, "",
       "grid = [ceildiv(extent(1, 0), 128), ceildiv(extent(1, 1), 128)]",
       "bf16"},
  };
}

static std::string getSource(const Kernel &kernel) {
  return llvm::join_items(
      "", R"(
!matrix = memref<?x?xf32, #gpu.address_space<global>>
!input = memref<?x?x)",
      kernel.element, R"(, #gpu.address_space<global>>
gpu.module @kernels {
  gpu.func @)",
      kernel.name,
      R"((%in: !input {carousel.argument = #carousel.argument<"in", in>},
      %out: !matrix {carousel.argument = #carousel.argument<"out", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<)",
      kernel.program, R"(>,
      carousel.launch = #carousel.launch<)",
      kernel.launch, R"(>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %pad = arith.constant 0.0 : bf16
    %zero = arith.constant 0.0 : f32
    %row = gpu.block_id x)",
      kernel.body, R"(
    gpu.return
  }
})");
}

static bool fail(const llvm::Twine &what) {
  llvm::errs() << "vector-ops: error: " << what << "\n";
  return false;
}

/// Runs a kernel of the module, and compares each element with that of the
/// host. Kernels with guards that don't hold aren't run: `count` counts others.
static bool run(ModuleOp module, llvm::StringRef name, const Kernel &kernel,
                unsigned &count) {
  auto compiled = carousel::sim::CompiledKernel::compile(module, name);
  if (failed(compiled))
    return fail(name + " has no code for the machine");
  std::vector<float> in = getInput(0, kernel.rows * kernel.columns),
                     out(kernel.rows * kernel.resultColumns);
  carousel::sim::Argument arguments[2];
  arguments[0].data = in.data();
  // bf16 are the upper bits of f32.
  std::vector<uint16_t> narrow;
  for (float element : in)
    narrow.push_back(llvm::bit_cast<uint32_t>(element) >> 16);
  if (kernel.element == "bf16")
    arguments[0].data = narrow.data();
  arguments[0].extents = {kernel.rows, kernel.columns};
  arguments[0].strides = {kernel.columns, 1};
  arguments[1].data = out.data();
  arguments[1].extents = {kernel.rows, kernel.resultColumns};
  arguments[1].strides = {kernel.resultColumns, 1};
  arguments[1].isWritten = false;
  if (!(*compiled)->findRefusal(arguments, {}).empty())
    return true;
  ++count;
  carousel::sim::RunResult result = (*compiled)->run(arguments);
  if (!result.isClean())
    return fail("expected a clean run of " + name + ": " +
                (result.findings.empty() ? result.error
                                         : result.findings.front().message));
  for (int64_t row = 0; row < kernel.rows; ++row)
    for (int64_t column = 0; column < kernel.resultColumns; ++column) {
      float expected = kernel.compute(&in[row * kernel.columns], column);
      float got = out[row * kernel.resultColumns + column];
      if (got != expected)
        return fail(name + ": expected " + std::to_string(expected) + " at " +
                    llvm::Twine(row) + ", " + llvm::Twine(column) + ", got " +
                    std::to_string(got));
    }
  return true;
}

/// Runs all variants.
static bool runAll(ModuleOp module, const Kernel &kernel, unsigned least) {
  unsigned count = 0;
  bool holds = true;
  module.walk([&](gpu::GPUFuncOp func) {
    holds = holds && run(module, func.getName(), kernel, count);
  });
  return holds &&
         (count >= least ||
          fail(llvm::Twine("expected ") + llvm::Twine(least) + " variants of " +
               kernel.name + " to run, got " + llvm::Twine(count)));
}

static bool lower(ModuleOp module, llvm::StringRef pipeline) {
  PassManager passes(module.getContext());
  carousel::LowerOptions lower;
  carousel::LowerToNVVMOptions toNVVM;
  carousel::LowerToEmitCOptions toEmitC;
  lower.chip = toNVVM.chip = toEmitC.chip = "sm_90a";
  if (pipeline == "machine")
    carousel::buildLowerPipeline(passes, lower);
  else if (pipeline == "NVVM")
    carousel::buildTileToNVVMPipeline(passes, toNVVM);
  else
    carousel::buildToEmitCPipeline(passes, toEmitC);
  return succeeded(passes.run(module));
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

/// Graphs of one kernel, whose rows aren't known.
static std::vector<Kernel> getGraphs() {
  return {
      {"pairs", R"(
    %y = sample.leaky %in, 0.25 : tensor<?x512xf32>
    %out = sample.pair_sums %y : tensor<?x512xf32> to tensor<?x256xf32>)",
       512, 256,
       [](const float *row, int64_t column) {
         return leak(row[2 * column]) + leak(row[2 * column + 1]);
       }},
      {"scaled", R"(
    %factors = arith.constant dense<3.0> : tensor<8xf32>
    %rows = tensor.cast %in : tensor<?x512xf32> to tensor<8x512xf32>
    %reversed = sample.reverse %rows : tensor<8x512xf32>
    %two = arith.constant 2.0 : f32
    %scaled = sample.scale_rows %reversed, %factors, %two
        : tensor<8x512xf32>, tensor<8xf32>, f32 to tensor<8x512xf32>
    %out = tensor.cast %scaled : tensor<8x512xf32> to tensor<?x512xf32>)",
       512, 512,
       [](const float *row, int64_t column) { return row[511 - column] * 6; }},
  };
}

static OwningOpRef<ModuleOp> lowerGraph(MLIRContext &context,
                                        const Kernel &graph) {
  std::string columns = std::to_string(graph.columns),
              results = std::to_string(graph.resultColumns);
  std::string source =
      llvm::join_items("", "func.func @main(%in: tensor<?x", columns,
                       "xf32>) -> tensor<?x", results, "xf32> {", graph.body,
                       "\n    return %out : tensor<?x", results, "xf32>\n}");
  auto module = parseSourceString<ModuleOp>(source, &context);
  PassManager passes(&context);
  carousel::buildGraphToBlockPipeline(passes, {});
  if (!module || failed(passes.run(*module)))
    return {};
  return module;
}

/// Runs the graph's kernel at the block phase and the machine phase.
static bool runGraph(MLIRContext &context, const Kernel &graph) {
  OwningOpRef<ModuleOp> module = lowerGraph(context, graph);
  if (!module || !runAll(*module, graph, 1) || !lower(*module, "machine") ||
      !runAll(*module, graph, 1))
    return fail(llvm::Twine("the graph ") + graph.name + " is not right");
  return true;
}

/// Whether a graph has errors of an op without code, and of an extent that none
/// of the operands has.
static bool refusesGraph(MLIRContext &context) {
  const std::pair<const char *, const char *> graphs[] = {
      {"%out = sample.less %in : tensor<?x64xf32>",
       "expected createElements to return values of the types 'f32', got 0 "
       "values"},
      {"%y = sample.pair_sums %in : tensor<?x64xf32> to tensor<?x?xf32>\n"
       "%out = tensor.cast %y : tensor<?x?xf32> to tensor<?x64xf32>",
       "expected an extent that isn't known to be one of an operand, got none "
       "for dimension 1"}};
  for (auto [body, expected] : graphs) {
    std::string messages;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      messages += diagnostic.str() + "\n";
    });
    if (lowerGraph(context, {"graph", body, 64, 64, {}}))
      return fail(llvm::Twine("expected an error: ") + expected);
    if (!llvm::StringRef(messages).contains(expected))
      return fail(llvm::Twine("expected the error '") + expected + "', got '" +
                  messages + "'");
  }
  return true;
}

static bool compile(MLIRContext &context, const Kernel &kernel) {
  auto module = parseSourceString<ModuleOp>(getSource(kernel), &context);
  if (!module || failed(verify(*module)))
    return fail(llvm::Twine(kernel.name) + " does not parse");
  auto getKernels = [](ModuleOp from) {
    return *from.getOps<gpu::GPUModuleOp>().begin();
  };
  OwningOpRef<ModuleOp> machine(module->clone()), nvvm(module->clone()),
      emitC(module->clone());
  if (!runAll(*module, kernel, 1) || !lower(*machine, "machine") ||
      !runAll(*machine, kernel, kernel.variants) || !lower(*nvvm, "NVVM") ||
      !lower(*emitC, "EmitC"))
    return fail(llvm::Twine(kernel.name) + " is not lowered");
  FailureOr<std::string> ptx = carousel::emitPTX(getKernels(*nvvm));
  FailureOr<std::string> cuda = carousel::emitCUDA(getKernels(*emitC));
  if (failed(ptx) || failed(cuda))
    return fail(llvm::Twine(kernel.name) + " has no PTX or no CUDA C++");
  llvm::outs() << *ptx << *cuda;
  carousel::AssembleOptions assemble;
  if (auto assembler = carousel::findAssembler(assemble)) {
    if (auto cubin = carousel::assemblePTX(*ptx, "sm_90a", assemble); !cubin)
      return fail(llvm::toString(cubin.takeError()));
  } else {
    llvm::consumeError(assembler.takeError());
  }
  return true;
}

/// Whether lowering a kernel, or parsing it, emits this error.
static bool refuses(MLIRContext &context, const Kernel &kernel,
                    llvm::StringRef expected) {
  std::string messages;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    messages += diagnostic.str() + "\n";
  });
  auto module = parseSourceString<ModuleOp>(getSource(kernel), &context);
  if (module && lower(*module, "machine"))
    return fail("expected an error: " + expected);
  if (!llvm::StringRef(messages).contains(expected))
    return fail("expected the error '" + expected + "', got '" + messages +
                "'");
  return true;
}

namespace {

/// The interface that an embedder attaches to an op of which it doesn't have
/// the source.
struct PlainModel
    : public carousel::DistributionOpInterface::ExternalModel<PlainModel,
                                                              sample::PlainOp> {
  SmallVector<Value> createElements(Operation *op, OpBuilder &builder,
                                    Location loc, ValueRange sources,
                                    TypeRange types) const {
    return {arith::NegFOp::create(builder, loc, sources[0])};
  }
};

} // namespace

int main() {
  DialectRegistry registry;
  registry.insert<carousel::CarouselDialect, sample::SampleDialect,
                  arith::ArithDialect, func::FuncDialect, gpu::GPUDialect,
                  linalg::LinalgDialect, memref::MemRefDialect,
                  tensor::TensorDialect, vector::VectorDialect>();
  carousel::registerPTXTranslations(registry);
  carousel::registerLoweringInterfaces(registry);
  MLIRContext context(registry);

  for (const Kernel &kernel : getKernels())
    if (!compile(context, kernel))
      return 1;
  for (const Kernel &graph : getGraphs())
    if (!runGraph(context, graph))
      return 1;

  const char *plain = R"(
    %x = vector.transfer_read %in[%row, %c0], %zero : !input, vector<1x512xf32>
    %y = sample.plain %x : vector<1x512xf32>
    vector.transfer_write %y, %out[%row, %c0] : vector<1x512xf32>, !matrix)";
  const char *less = R"(
    %x = vector.transfer_read %in[%row, %c0], %zero : !input, vector<1x512xf32>
    %y = sample.less %x : vector<1x512xf32>
    vector.transfer_write %y, %out[%row, %c0] : vector<1x512xf32>, !matrix)";
  const char *outside = R"(
    %x = vector.transfer_read %in[%row, %c0], %zero : !input, vector<1x64xf32>
    %y = sample.pair_sums %x : vector<1x64xf32> to vector<1x64xf32>)";
  const char *carries = R"(
    %x = vector.transfer_read %in[%row, %c0], %zero : !input, vector<1x100xf32>
    %y = sample.reverse %x : vector<1x100xf32>
    vector.transfer_write %y, %out[%row, %c0] : vector<1x100xf32>, !matrix)";
  bool holds =
      refuses(context, {"plain", plain, 0, 0, {}},
              "got 'sample.plain'; implement "
              "carousel::DistributionOpInterface for it") &&
      refuses(context, {"less", less, 0, 0, {}},
              "expected createElements to return values of the types "
              "'vector<4xf32>', got 0 values") &&
      refuses(context, {"outside", outside, 0, 0, {}},
              "expected source 0 inside of operand 0, got (d0, d1) -> (d0, d1 "
              "* 2) to 'vector<1x64xf32>'") &&
      refuses(context, {"carries", carries, 0, 0, {}},
              "expected maps of operand 0 that are linear over bits of "
              "coordinates and differ in constants only, got (d0, d1) -> (d0, "
              "-d1 + 99)");
  if (!holds || !refusesGraph(context))
    return 1;

  sample::PlainOp::attachInterface<PlainModel>(context);
  Kernel attached = {
      "attached", plain, 512, 512,
      [](const float *row, int64_t column) { return -row[column]; }};
  return compile(context, attached) ? 0 : 1;
}
