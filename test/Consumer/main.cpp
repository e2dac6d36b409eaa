//===- main.cpp - compiles one kernel with Carousel's libraries -----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An embedder: registers, parses or builds a module at the machine phase, runs
// it on the simulated machine, runs the lowering pipeline, and asks for PTX.
// Prints the PTX; fails if it lacks the instruction that the kernel's one op
// stands for, or if the simulated machine finds something.
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "carousel/Passes/Pipelines.h"
#include "carousel/Simulator/Simulator.h"
#include "carousel/Target/AssemblePTX.h"
#include "carousel/Target/EmitPTX.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"

static constexpr llvm::StringLiteral kSource = R"mlir(
gpu.module @kernels {
  gpu.func @start()
      workgroup(%full : memref<1x!carousel.mbarrier, #gpu.address_space<workgroup>>) kernel {
    %slot = arith.constant 0 : index
    carousel.mbarrier.init %full[%slot], 1
        : memref<1x!carousel.mbarrier, #gpu.address_space<workgroup>>
    gpu.return
  }
}
)mlir";

static int fail(const llvm::Twine &what) {
  llvm::errs() << "consumer: error: " << what << "\n";
  return 1;
}

int main() {
  mlir::DialectRegistry registry;
  registry.insert<carousel::CarouselDialect, mlir::arith::ArithDialect,
                  mlir::gpu::GPUDialect, mlir::memref::MemRefDialect>();
  carousel::registerPTXTranslations(registry);
  // The pipeline lowers other dialects through their own conversion interfaces.
  carousel::registerLoweringInterfaces(registry);
  mlir::MLIRContext context(registry);

  auto module = mlir::parseSourceString<mlir::ModuleOp>(kSource, &context);
  if (!module || failed(mlir::verify(*module)))
    return fail("the module does not parse");

  auto simulated = carousel::sim::CompiledKernel::compile(*module, "start");
  if (failed(simulated))
    return fail("the kernel does not compile for the simulated machine");
  carousel::sim::RunOptions run;
  run.grid = run.block = {1, 1, 1};
  carousel::sim::RunResult result = (*simulated)->run({}, run);
  if (!result.isClean() || result.figures.threads != 1)
    return fail("expected a clean run of one thread " + result.error);

  carousel::LowerToNVVMOptions options;
  options.chip = "sm_90a";
  mlir::PassManager passes(&context);
  carousel::buildLowerToNVVMPipeline(passes, options);
  if (failed(passes.run(*module)))
    return fail("the pipeline failed");

  auto kernels = *module->getOps<mlir::gpu::GPUModuleOp>().begin();
  llvm::FailureOr<std::string> ptx = carousel::emitPTX(kernels);
  if (failed(ptx))
    return fail("no PTX");
  llvm::outs() << *ptx;
  if (ptx->find("mbarrier.init") == std::string::npos)
    return fail("expected mbarrier.init in the PTX");

  // Where there is no assembler, there is nothing to see here.
  carousel::AssembleOptions assemble;
  if (auto assembler = carousel::findAssembler(assemble)) {
    auto cubin = carousel::assemblePTX(*ptx, "sm_90a", assemble);
    if (!cubin)
      return fail(llvm::toString(cubin.takeError()));
    llvm::outs() << "// a cubin of " << cubin->size() << " bytes by "
                 << *assembler << "\n";
  } else {
    llvm::consumeError(assembler.takeError());
  }
  return 0;
}
