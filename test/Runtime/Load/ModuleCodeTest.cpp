//===- ModuleCodeTest.cpp - choosing and compiling images -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests the image that a device gets, the compiler that makes a cubin of it,
// and the messages when none can. The libraries are the fakes; ToolkitTest.cpp
// has the real ones.
//
//===----------------------------------------------------------------------===//

#include "Compile/Compilers.h"
#include "FakeCompileTest.h"
#include "Load/LoadedModule.h"

#include <fmt/format.h>

using namespace carousel;
using namespace carousel::runtime;
using namespace carousel::runtime::test;
namespace fs = std::filesystem;

namespace {

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

using Kind = Image::Kind;

TEST(RunsOn, Cubin) {
  EXPECT_TRUE(runsOn("sm_80", Kind::Cubin, 80));
  EXPECT_TRUE(runsOn("sm_80", Kind::Cubin, 86));
  EXPECT_FALSE(runsOn("sm_86", Kind::Cubin, 80)) << "an older minor revision";
  EXPECT_FALSE(runsOn("sm_80", Kind::Cubin, 90)) << "another major one";
  EXPECT_FALSE(runsOn("sm_90", Kind::Cubin, 80));
  EXPECT_TRUE(runsOn("sm_90a", Kind::Cubin, 90));
  EXPECT_FALSE(runsOn("sm_100a", Kind::Cubin, 103));
  EXPECT_FALSE(runsOn("sm_100a", Kind::Cubin, 90));
  EXPECT_TRUE(runsOn("sm_100f", Kind::Cubin, 100));
  EXPECT_TRUE(runsOn("sm_100f", Kind::Cubin, 103));
  EXPECT_FALSE(runsOn("sm_103f", Kind::Cubin, 100));
  EXPECT_FALSE(runsOn("sm_100f", Kind::Cubin, 120));
  EXPECT_TRUE(runsOn("sm_120", Kind::Cubin, 121));
}

TEST(RunsOn, Source) {
  for (Kind kind : {Kind::PTX, Kind::CUDA}) {
    EXPECT_TRUE(runsOn("sm_80", kind, 80));
    EXPECT_TRUE(runsOn("sm_80", kind, 90));
    EXPECT_TRUE(runsOn("sm_80", kind, 120));
    EXPECT_FALSE(runsOn("sm_90", kind, 89));
    EXPECT_TRUE(runsOn("sm_90a", kind, 90));
    EXPECT_FALSE(runsOn("sm_90a", kind, 100));
    EXPECT_TRUE(runsOn("sm_100f", kind, 103));
    EXPECT_FALSE(runsOn("sm_103f", kind, 100));
    EXPECT_FALSE(runsOn("sm_100f", kind, 120));
  }
}

TEST(RunsOn, Malformed) {
  for (const char *chip : {"",       "sm_",     "sm_a",
                           "sm_9",   "sm_9a",   "sm_0",
                           "sm_00",  "sm_090",  "sm_1000",
                           "sm_90b", "sm_90aa", "sm_90A",
                           "SM_90",  "sm90",    "compute_90",
                           " sm_90", "sm_90 ",  "sm_-90",
                           "sm_+90", "sm_9x",   "sm_99999999999999999999"})
    for (Kind kind : {Kind::Cubin, Kind::PTX, Kind::CUDA})
      EXPECT_FALSE(runsOn(chip, kind, 90)) << chip;
  EXPECT_FALSE(runsOn(std::string_view("sm_90\0", 6), Kind::PTX, 90));
}

TEST(RankImages, BestFirst) {
  ModuleInfo module;
  auto add = [&](const char *chip, Kind kind) {
    module.images.push_back({chip, kind, "", 0, ""});
  };
  add("sm_80", Kind::CUDA);   // 0
  add("sm_80", Kind::PTX);    // 1
  add("sm_90", Kind::PTX);    // 2
  add("sm_90a", Kind::PTX);   // 3
  add("sm_90f", Kind::PTX);   // 4
  add("sm_80", Kind::Cubin);  // 5
  add("sm_90", Kind::Cubin);  // 6
  add("sm_90a", Kind::Cubin); // 7
  add("sm_100", Kind::PTX);   // 8
  add("sm_90a", Kind::CUDA);  // 9
  add("nonsense", Kind::PTX); // 10
  add("sm_90", Kind::PTX);    // 11
  using Order = std::vector<size_t>;
  EXPECT_EQ(ModuleImages(module, 90).rank(),
            (Order{7, 6, 3, 4, 2, 11, 1, 9, 0}));
  EXPECT_EQ(ModuleImages(module, 86).rank(), (Order{5, 1, 0}));
  EXPECT_EQ(ModuleImages(module, 120).rank(), (Order{8, 2, 11, 1, 0}));
  EXPECT_EQ(ModuleImages(module, 75).rank(), Order());
}

TEST(CondenseLog, OneLine) {
  EXPECT_EQ(condenseLog(""), "");
  EXPECT_EQ(condenseLog(std::string_view("\0\0\n \r\n", 6)), "");
  EXPECT_EQ(condenseLog("  a line\r\n\n\tanother\tone \n"),
            "a line | another one");
  EXPECT_EQ(condenseLog(std::string_view("one\0two\0", 8)), "one | two");
  EXPECT_EQ(condenseLog(std::string(1024, 'x')), std::string(1024, 'x'));
  EXPECT_EQ(condenseLog(std::string(1025, 'x')),
            std::string(976, 'x') + "... (49 bytes left out)");
  std::string lines;
  for (int i = 0; i < 10000; ++i)
    lines += "a line\n";
  EXPECT_LE(condenseLog(lines).size(), 1024u);
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

TEST_F(Compile, TextsOfOneKernelEach) {
  Package package =
      makePackage({{"sm_90a", "cuda", "m.a.cu", "text of a", "a"},
                   {"sm_90a", "cuda", "m.b.cu", "text of b", "b"}});
  Context context = makeContext();
  auto take = [&](std::string_view function) {
    return compile(context, package, {}, function);
  };
  Result<std::string> ofA = take("a"), ofB = take("b");
  ASSERT_TRUE(ofA && ofB);
  EXPECT_NE(ofA->find("text of a"), std::string::npos) << *ofA;
  EXPECT_NE(ofB->find("text of b"), std::string::npos) << *ofB;
  Result<std::string> ofNone = take("c");
  ASSERT_FALSE(ofNone);
  EXPECT_EQ(ofNone.error().message,
            "module 'm' has no image for compute capability 9.0; it has sm_90a "
            "(cuda)");
  // Code with all of them goes first where it is there.
  Package both = makePackage({{"sm_90a", "cuda", "m.a.cu", "text of a", "a"},
                              {"sm_90a", "ptx", "m.ptx", kPTX}});
  ofA = compile(context, both, {}, "a");
  ASSERT_TRUE(ofA);
  EXPECT_EQ(ofA->find("text of a"), std::string::npos) << *ofA;
}

// Each is a module of the driver's, with a variable of its own.
TEST_F(Compile, RecordsOfWaitsInTextsOfOneKernelEach) {
  Package package = makePackage(
      {{"sm_90a", "cuda", "m.a.cu", "text of a", "a"},
       {"sm_90a", "cuda", "m.b.cu", "text of b", "b"}},
      R"(, "waits": [{"number": 0, "function": "a", "barrier": "x full",
                      "role": "all", "phase": "parity", "location": ""}])");
  fake::setGlobal("carousel_wait_record", 16);
  Context context = makeContext();
  {
    auto module =
        LoadedModule::get(context, package, 0,
                          std::make_shared<const KeyedOptions>(LoadOptions()));
    for (const char *function : {"a", "b"}) {
      VariantInfo variant;
      variant.function = function;
      (void)module->getFunction(KernelInfo(), variant);
    }
    EXPECT_EQ(fake::countCalls("cuModuleGetGlobal"), 2u);
    EXPECT_EQ(fake::countHostAllocations(), 2u);
  }
  EXPECT_EQ(fake::countHostAllocations(), 0u);
}

TEST_F(Compile, CubinAsItIs) {
  Package package = makePackage({kCUDAImage, kPTXImage, kCubinImage});
  expectCubin(package, kCubinImage.contents);
  EXPECT_EQ(countCompilations(), (Counts{0, 0, 0}));
  EXPECT_FALSE(fs::exists(options.cacheDirectory));
}

TEST_F(Compile, PTXByTheDriver) {
  Package package = makePackage({kCUDAImage, kPTXImage});
  expectCubin(package, kPTX);
  ASSERT_EQ(countCompilations(), (Counts{1, 0, 0}));
  fake::Compilation compilation = fake::getCompilations()[0];
  EXPECT_EQ(compilation.ptx, kPTX);
  EXPECT_TRUE(compilation.options.count(CU_JIT_ERROR_LOG_BUFFER));
  EXPECT_FALSE(fs::exists(options.cacheDirectory)) << "the driver has its own";
  CUcontext current = nullptr;
  EXPECT_EQ(cuCtxGetCurrent(&current), CUDA_SUCCESS);
  EXPECT_EQ(current, nullptr) << "the caller's context is as it was";
}

TEST_F(Compile, NvJitLinkWhereTheDriverCannot) {
  Package package = makePackage({kPTXImage, kCUDAImage});
  options.cacheBytes = 0;
  for (CUresult error :
       {CUDA_ERROR_UNSUPPORTED_PTX_VERSION, CUDA_ERROR_JIT_COMPILER_NOT_FOUND,
        CUDA_ERROR_JIT_COMPILATION_DISABLED}) {
    SCOPED_TRACE(static_cast<int>(error));
    fake::nvjitlink::reset();
    fake::failNext("cuModuleLoadDataEx", error);
    Result<std::string> cubin = compile(package);
    ASSERT_TRUE(cubin) << cubin.error().message;
    EXPECT_EQ(*cubin, jitLinked(kPTX));
    ASSERT_EQ(fake::nvjitlink::getLinks().size(), 1u);
    fake::nvjitlink::Link link = fake::nvjitlink::getLinks()[0];
    EXPECT_EQ(link.ptx, kPTX);
    EXPECT_EQ(link.name, "m.sm_90a.ptx");
    EXPECT_EQ(link.options, std::vector<std::string>{"-arch=sm_90a"});
  }
  EXPECT_TRUE(fake::nvrtc::getCompilations().empty());
}

TEST_F(Compile, ArchitectureOfPTXWithoutALetter) {
  Package package = makePackage({{"sm_80", "ptx", "m.ptx", kPTX}});
  fake::failNext("cuModuleLoadDataEx", CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
  ASSERT_TRUE(compile(package));
  EXPECT_EQ(fake::nvjitlink::getLinks()[0].options,
            std::vector<std::string>{"-arch=sm_90"});
}

TEST_F(Compile, CUDA) {
  Package package = makePackage({kCUDAImage});
  expectCubin(package, fromCUDA(kCUDA));
  ASSERT_EQ(countCompilations(), (Counts{0, 0, 1}));
  fake::nvrtc::Compilation compilation = fake::nvrtc::getCompilations()[0];
  EXPECT_EQ(compilation.source, kCUDA);
  EXPECT_EQ(compilation.name, "m.sm_90a.cu");
  std::vector<std::string> headers;
  for (const DeviceHeader &header : getDeviceHeaders())
    headers.emplace_back(header.name);
  EXPECT_EQ(compilation.headers, headers);
  EXPECT_EQ(compilation.options, (std::vector<std::string>{
                                     "--gpu-architecture=sm_90a", "--std=c++17",
                                     "--fmad=false", "--no-source-include"}));
}

TEST_F(Compile, CUDAForALaterDevice) {
  Package package = makePackage(
      {{"sm_80", "cuda", "m.cu", kCUDA}, {"sm_100f", "cuda", "f.cu", kCUDA}});
  expectCubin(package, fromCUDA(kCUDA, "sm_90"));
  setCapability(10, 3);
  expectCubin(package, fromCUDA(kCUDA, "sm_103f"));
}

TEST_F(Compile, WrongPTXFallsBackToCUDA) {
  Package package =
      makePackage({{"sm_90a", "ptx", "m.sm_90a.ptx", "// junk"}, kCUDAImage});
  expectCubin(package, fromCUDA(kCUDA));
  // nvJitLink would say the same as the driver.
  EXPECT_EQ(countCompilations(), (Counts{1, 0, 1}));
}

TEST_F(Compile, OlderPTXWhereTheNewestIsWrong) {
  Package package = makePackage({{"sm_80", "ptx", "m.sm_80.ptx", kPTX},
                                 {"sm_90a", "ptx", "x.ptx", "// ?"}});
  expectCubin(package, kPTX);
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

TEST_F(Compile, NoImage) {
  setCapability(8, 6);
  expectError(makePackage({kCubinImage, kPTXImage}), ErrorCode::CompileError,
              "module 'm' has no image for compute capability 8.6; it has "
              "sm_90a (cubin, ptx)");
  expectError(
      makePackage(
          {kPTXImage, {"sm_100a", "ptx", "m.sm_100a.ptx", kPTX}, kCUDAImage}),
      ErrorCode::CompileError,
      "module 'm' has no image for compute capability 8.6; it has "
      "sm_90a (ptx, cuda), sm_100a (ptx)");
}

TEST_F(Compile, EachFailureIsNamed) {
  Package package =
      makePackage({{"sm_90a", "ptx", "m.sm_90a.ptx", "// junk"},
                   {"sm_80", "ptx", "m.sm_80.ptx", kPTX},
                   {"sm_80", "cuda", "m.sm_80.cu", "#error out of order\n"}});
  fake::failNext("cuModuleLoadDataEx", CUDA_ERROR_UNSUPPORTED_PTX_VERSION, 1);
  fake::setCompileLog("ptxas m.sm_90a.ptx, line 1; fatal   : Parsing error\n"
                      "ptxas fatal   : Ptx assembly aborted\n");
  fake::nvjitlink::failNext("nvJitLinkComplete", NVJITLINK_ERROR_PTX_COMPILE);
  fake::nvjitlink::setLog("ERROR 4 in nvvmAddNVVMContainerToProgram");
  expectError(package, ErrorCode::CompileError,
              "module 'm' has no image that works on compute capability 9.0: "
              "m.sm_90a.ptx: the driver's compiler failed: ptxas m.sm_90a.ptx, "
              "line 1; fatal   : Parsing error | ptxas fatal   : Ptx assembly "
              "aborted; "
              "m.sm_80.ptx: the driver's compiler failed: ptxas m.sm_90a.ptx, "
              "line 1; fatal   : Parsing error | ptxas fatal   : Ptx assembly "
              "aborted; "
              "m.sm_80.ptx: nvJitLink failed: ERROR 4 in "
              "nvvmAddNVVMContainerToProgram; "
              "m.sm_80.cu: NVRTC failed: m.sm_80.cu:1: #error out of order");
  EXPECT_FALSE(fs::exists(options.cacheDirectory));
}

TEST_F(Compile, LongLogsAreCut) {
  fake::nvrtc::setLog(std::string(100000, 'x'));
  fake::nvrtc::failNext("nvrtcCompileProgram", NVRTC_ERROR_COMPILATION);
  Result<std::string> cubin = compile(makePackage({kCUDAImage}));
  ASSERT_FALSE(cubin);
  EXPECT_LT(cubin.error().message.size(), 1200u);
  EXPECT_GT(cubin.error().message.size(), 1000u);
}

TEST_F(Compile, FailuresWithoutALog) {
  const std::string begin =
      "module 'm' has no image that works on compute capability 9.0: ";
  Package ptx = makePackage({kPTXImage});
  fake::failNext("cuModuleLoadDataEx", CUDA_ERROR_INVALID_IMAGE);
  Result<std::string> cubin = compile(ptx);
  ASSERT_FALSE(cubin);
  EXPECT_EQ(cubin.error().message.find(
                begin + "m.sm_90a.ptx: the driver's compiler failed: "
                        "cuModuleLoadDataEx failed: "),
            0u)
      << cubin.error().message;

  fake::failNext("cuModuleLoadDataEx", CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
  fake::nvjitlink::failNext("nvJitLinkCreate",
                            NVJITLINK_ERROR_UNRECOGNIZED_ARCH);
  cubin = compile(ptx);
  ASSERT_FALSE(cubin);
  EXPECT_NE(cubin.error().message.find(
                "m.sm_90a.ptx: nvJitLink failed: nvJitLinkCreate failed: "
                "NVJITLINK_ERROR_UNRECOGNIZED_ARCH"),
            std::string::npos)
      << cubin.error().message;

  for (const char *call : {"nvrtcCreateProgram", "nvrtcCompileProgram",
                           "nvrtcGetCUBINSize", "nvrtcGetCUBIN"}) {
    fake::nvrtc::failNext(call, NVRTC_ERROR_INTERNAL_ERROR);
    expectError(makePackage({kCUDAImage}), ErrorCode::CompileError,
                fmt::format("{}m.sm_90a.cu: NVRTC failed: {} failed: "
                            "NVRTC_ERROR_INTERNAL_ERROR",
                            begin, call));
  }
}

TEST_F(Compile, MissingLibraries) {
  options.libraries.nvrtc = "/nonexistent/libnvrtc.so.13";
  options.libraries.nvJitLink = "/nonexistent/libnvJitLink.so.13";
  Package package = makePackage({kPTXImage, kCUDAImage});
  expectCubin(package, kPTX); // needs neither

  options.cacheBytes = 0;
  fake::failNext("cuModuleLoadDataEx", CUDA_ERROR_JIT_COMPILER_NOT_FOUND);
  Result<std::string> cubin = compile(package);
  ASSERT_FALSE(cubin);
  EXPECT_EQ(cubin.error().code, ErrorCode::NoLibrary);
  for (const char *part :
       {"m.sm_90a.ptx: the driver's compiler failed: ",
        "; m.sm_90a.ptx: nvJitLink can't be used: ",
        "/nonexistent/libnvJitLink.so.13",
        "; m.sm_90a.cu: NVRTC can't be used: ", "/nonexistent/libnvrtc.so.13"})
    EXPECT_NE(cubin.error().message.find(part), std::string::npos)
        << cubin.error().message;

  // The PTX is at fault too.
  fake::failNext("cuModuleLoadDataEx", CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
  cubin = compile(package);
  ASSERT_FALSE(cubin);
  EXPECT_EQ(cubin.error().code, ErrorCode::CompileError);
}

/// A failure that isn't about the text is the error, of whatever image it was:
/// another one isn't tried, and the next call may succeed.
TEST_F(Compile, WhatIsNotAboutTheTextEndsIt) {
  struct {
    CUresult result;
    ErrorCode code;
  } cases[] = {
      {CUDA_ERROR_OUT_OF_MEMORY, ErrorCode::OutOfMemory},
      {CUDA_ERROR_CONTEXT_IS_DESTROYED, ErrorCode::ContextLost},
      {CUDA_ERROR_ECC_UNCORRECTABLE, ErrorCode::ContextLost},
      {CUDA_ERROR_ILLEGAL_ADDRESS, ErrorCode::LaunchFailed},
      {CUDA_ERROR_OPERATING_SYSTEM, ErrorCode::DriverError},
  };
  options.cacheBytes = 0;
  Package package = makePackage({kPTXImage, kCUDAImage});
  for (auto [result, code] : cases) {
    SCOPED_TRACE(int(result));
    fake::nvrtc::reset();
    fake::failNext("cuModuleLoadDataEx", result);
    Result<std::string> cubin = compile(package);
    ASSERT_FALSE(cubin);
    EXPECT_EQ(cubin.error().code, code) << cubin.error().message;
    EXPECT_TRUE(fake::nvjitlink::getLinks().empty());
    EXPECT_TRUE(fake::nvrtc::getCompilations().empty());
    expectCubin(package, kPTX);
  }
  fake::nvrtc::failNext("nvrtcCompileProgram", NVRTC_ERROR_OUT_OF_MEMORY);
  Result<std::string> cubin = compile(makePackage({kCUDAImage}));
  ASSERT_FALSE(cubin);
  EXPECT_EQ(cubin.error().code, ErrorCode::OutOfMemory);
}

TEST_F(Compile, AKernelThatFailedEarlierEndsIt) {
  Package package = makePackage({kPTXImage, kCUDAImage});
  Context context = makeContext();
  context.getImpl().noteLaunch("culprit", nullptr);
  fake::poison(CUDA_ERROR_ILLEGAL_ADDRESS);
  Result<std::string> cubin = compile(context, package);
  ASSERT_FALSE(cubin);
  EXPECT_EQ(cubin.error().code, ErrorCode::LaunchFailed);
  EXPECT_NE(cubin.error().message.find("culprit"), std::string::npos)
      << cubin.error().message;
  EXPECT_TRUE(fake::nvrtc::getCompilations().empty());
  fake::poison(CUDA_SUCCESS);
}

} // namespace
