//===- ModuleTest.cpp - compiled code without a manifest -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeCompileTest.h"

#include "carousel/Runtime/Module.h"

using namespace carousel;
using namespace carousel::runtime;
using namespace carousel::runtime::test;

namespace {

const CUDASource kSource = {"k.cu", "extern \"C\" __global__ void k() {}\n"};

class ModuleTest : public Compile {};

TEST_F(ModuleTest, Launch) {
  {
    Context context = makeContext();
    Result<Module> module = Module::compile(context, kSource);
    ASSERT_TRUE(module) << module.error().message;
    EXPECT_EQ(fake::getImages().back() + '\0', fromCUDA(kSource.text));
    float x = 1;
    void *parameters[] = {&x};
    LaunchShape shape;
    shape.grid = {2, 3, 4};
    shape.block = {64, 2, 1};
    fake::setParameterSizes("k", {sizeof(x)});
    Status status = module->launch("k", shape, parameters);
    ASSERT_TRUE(status) << status.error().message;
    fake::Launch launch = fake::getLaunches().back();
    EXPECT_EQ(launch.function, "k");
    EXPECT_EQ(launch.grid, (std::array<unsigned, 3>{2, 3, 4}));
    EXPECT_EQ(launch.block, (std::array<unsigned, 3>{64, 2, 1}));
    EXPECT_FALSE(launch.hasCluster);
    EXPECT_EQ(launch.dynamicShared, 0u);

    shape.cluster = {2, 1, 1};
    shape.dynamicShared = 100000;
    ASSERT_TRUE(module->launch("k", shape, parameters));
    ASSERT_TRUE(module->launch("k", shape, parameters));
    launch = fake::getLaunches().back();
    EXPECT_EQ(launch.cluster, (std::array<unsigned, 3>{2, 1, 1}));
    EXPECT_EQ(launch.dynamicShared, 100000u);
    // Asked for once each.
    EXPECT_EQ(fake::countCalls("cuModuleGetFunction"), 1u);
    EXPECT_EQ(fake::countCalls("cuFuncSetAttribute"), 1u);
  }
  EXPECT_EQ(fake::countLoadedModules(), 0u);
}

TEST_F(ModuleTest, Errors) {
  Context context = makeContext();
  std::vector<CompileMessage> messages;
  Result<Module> module =
      Module::compile(context, {"k.cu", "#error wrong\n"}, {}, &messages);
  ASSERT_FALSE(module);
  EXPECT_EQ(module.error().code, ErrorCode::CompileError);
  EXPECT_EQ(messages.size(), 1u);

  CompiledCode code;
  code.kind = CodeKind::LTOIR;
  module = Module::load(context, code);
  ASSERT_FALSE(module);
  EXPECT_EQ(module.error().code, ErrorCode::InvalidArgument);
  EXPECT_EQ(module.error().message,
            "expected a cubin or PTX to load, got LTO-IR, which only nvJitLink "
            "takes");

  module = Module::compile(context, kSource);
  ASSERT_TRUE(module);
  fake::setMissingFunctions({"other"});
  Status status = module->launch("other", {}, nullptr);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::NotFound);
  EXPECT_EQ(status.error().message,
            "expected a kernel 'other' in the module, got none; is it extern "
            "\"C\" __global__?");
  fake::failNext("cuLaunchKernelEx", CUDA_ERROR_INVALID_VALUE);
  status = module->launch("k", {}, nullptr);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message.find("k: cuLaunchKernelEx failed: "), 0u)
      << status.error().message;
  fake::failNext("cuModuleLoadDataEx", CUDA_ERROR_INVALID_IMAGE);
  module = Module::compile(context, kSource);
  ASSERT_FALSE(module);
  EXPECT_EQ(module.error().code, ErrorCode::CompileError);
}

} // namespace
