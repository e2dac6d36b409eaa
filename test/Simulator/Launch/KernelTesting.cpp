//===- KernelTesting.cpp - kernels in tests -------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTesting.h"

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace carousel::sim;

KernelTest::KernelTest() {
  context.loadDialect<
      carousel::CarouselDialect, affine::AffineDialect, arith::ArithDialect,
      cf::ControlFlowDialect, func::FuncDialect, gpu::GPUDialect,
      NVVM::NVVMDialect, linalg::LinalgDialect, math::MathDialect,
      memref::MemRefDialect, scf::SCFDialect, vector::VectorDialect>();
  context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
    llvm::raw_string_ostream os(messages);
    os << diagnostic.getLocation() << ": " << diagnostic << "\n";
  });
}

OwningOpRef<ModuleOp> KernelTest::parse(StringRef text) {
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(text, ParserConfig(&context), "test.mlir");
  EXPECT_TRUE(module) << messages;
  return module;
}

std::unique_ptr<CompiledKernel> KernelTest::compile(StringRef text,
                                                    StringRef kernel) {
  OwningOpRef<ModuleOp> module = parse(text);
  if (!module)
    return nullptr;
  auto compiled = CompiledKernel::compile(*module, kernel);
  return failed(compiled) ? nullptr : std::move(*compiled);
}

std::unique_ptr<CompiledFunction> KernelTest::compileFunction(StringRef text,
                                                              StringRef name) {
  OwningOpRef<ModuleOp> module = parse(text);
  if (!module)
    return nullptr;
  auto compiled = CompiledFunction::compile(*module, name);
  return failed(compiled) ? nullptr : std::move(*compiled);
}

RunResult KernelTest::runKernel(StringRef arguments, StringRef body,
                                ArrayRef<Argument> values, uint32_t threads,
                                uint32_t ctas) {
  std::string text = ("gpu.module @m {\n  gpu.func @k(" + arguments +
                      ") kernel {\n" + body + "\n    gpu.return\n  }\n}\n")
                         .str();
  RunResult result;
  std::unique_ptr<CompiledKernel> kernel = compile(text);
  if (!kernel) {
    result.error = "doesn't compile: " + messages;
    return result;
  }
  RunOptions options;
  options.grid = {ctas, 1, 1};
  options.block = {threads, 1, 1};
  return kernel->run(values, options);
}

std::string carousel::sim::describe(const RunResult &result) {
  std::string text = result.error;
  llvm::raw_string_ostream os(text);
  for (const Finding &finding : result.findings)
    printText(finding, os);
  return text;
}

std::string carousel::sim::readExample(StringRef path, StringRef from,
                                       StringRef to) {
  std::string file = (CAROUSEL_EXAMPLES "/" + path).str();
  auto buffer = llvm::MemoryBuffer::getFile(file);
  EXPECT_TRUE(bool(buffer)) << file;
  if (!buffer)
    return "";
  std::string text = (*buffer)->getBuffer().str();
  if (from.empty())
    return text;
  size_t place = text.find(from.str());
  EXPECT_NE(place, std::string::npos) << from.str();
  if (place != std::string::npos)
    text.replace(place, from.size(), to.str());
  return text;
}
