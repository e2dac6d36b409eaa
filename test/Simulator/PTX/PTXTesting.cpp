//===- PTXTesting.cpp - small kernels of PTX, run -------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXTesting.h"

#include "carousel/PTX/Parser.h"

using namespace carousel::sim;
using llvm::StringRef;

std::unique_ptr<CompiledKernel> PTXTest::compilePTX(StringRef text,
                                                    StringRef parameters) {
  carousel::ptx::Diagnostic error;
  auto code = carousel::ptx::parse(text, error);
  if (!code) {
    messages += std::to_string(error.location.line) + ": " + error.message;
    return nullptr;
  }
  auto module = parse(("gpu.module @m { gpu.func @k(" + parameters +
                       ") kernel { gpu.return } }")
                          .str());
  if (!module)
    return nullptr;
  auto kernel = CompiledKernel::compilePTX(*module, "k", *code, "k.ptx");
  return mlir::failed(kernel) ? nullptr : std::move(*kernel);
}

RunResult PTXTest::run(StringRef body, std::vector<uint32_t> &out,
                       const PTXLaunch &launch, StringRef before) {
  std::string text = (".version 9.0\n.target sm_90a\n.address_size 64\n" +
                      before + R"(
.visible .entry k(.param .u64 out) {
  .reg .pred %p<8>; .reg .b16 %rs<8>; .reg .b32 %r<32>; .reg .b64 %rd<16>;
  .reg .f32 %f<8>; .reg .f64 %fd<8>;
  ld.param.u64 %rd0, [out];
  mov.u32 %r0, %tid.x;
)" + body + "\n  ret;\n}\n")
                         .str();
  RunResult result;
  auto kernel =
      compilePTX(text, "%out: memref<" + std::to_string(out.size()) + "xi32>");
  if (!kernel) {
    result.error = messages;
    return result;
  }
  RunOptions options = launch.options;
  options.grid = {launch.ctas, 1, 1};
  options.block = {launch.threads, 1, 1};
  options.cluster = {launch.cluster, 1, 1};
  options.dynamicSharedBytes = launch.dynamicSharedBytes;
  return kernel->run(makeMemRef(out), options);
}

std::vector<uint32_t> PTXTest::get(StringRef body, size_t results,
                                   const PTXLaunch &launch, StringRef before) {
  std::vector<uint32_t> out(results, 0xdead);
  RunResult result = run(body, out, launch, before);
  EXPECT_TRUE(result.isClean()) << result.error << describe(result);
  return out;
}
