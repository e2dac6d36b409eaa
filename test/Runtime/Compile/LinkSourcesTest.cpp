//===- LinkSourcesTest.cpp - device sources, and LoadOptions::via ---------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests LoadOptions: the images used, the compilation and linking for modules
// with undefined functions, and the errors if that fails. Uses the fake
// libraries; ToolkitTest.cpp links with the real ones.
//
//===----------------------------------------------------------------------===//

#include "FakeCompileTest.h"

using namespace carousel;
using namespace carousel::runtime;
using namespace carousel::runtime::test;

namespace {

using List = std::vector<std::string>;

constexpr const char *kExterns =
    R"(, "externs": [{"name": "activation", "result": "f32",
                      "parameters": ["f32"]}])";
// The fake nvJitLink's way to call a function.
const std::string kCallingPTX =
    ".version 8.8\n.target sm_90a\nneeds activation\n";
const TestImage kCallingPTXImage = {"sm_90a", "ptx", "m.sm_90a.ptx",
                                    kCallingPTX};
const TestImage kCallingCUDAImage = {"sm_90a", "cuda", "m.sm_90a.cu",
                                     "// needs activation\n"};
const CUDASource kActivation = {"relu.cu",
                                "__device__ float activation(float x) {}\n"};

class LinkSources : public Compile {
protected:
  static LoadOptions with(std::vector<CUDASource> sources) {
    LoadOptions load;
    load.deviceSources = std::move(sources);
    return load;
  }
  static std::string toLTO(const CUDASource &source) {
    return "FAKELTO sm_90a nvrtc\n" + source.text;
  }
};

//===----------------------------------------------------------------------===//
// Linking
//===----------------------------------------------------------------------===//

TEST_F(LinkSources, PTX) {
  Package package = makePackage({kCallingPTXImage, kCUDAImage}, kExterns);
  expectCubin(package,
              "FAKECUBIN sm_90a nvjitlink\n" + kCallingPTX +
                  toLTO(kActivation) + '\0',
              with({kActivation}));
  // The driver wouldn't take LTO-IR.
  EXPECT_EQ(countCompilations(), (Counts{0, 2, 1}));
  fake::nvrtc::Compilation source = fake::nvrtc::getCompilations()[0];
  EXPECT_EQ(source.name, "relu.cu");
  EXPECT_EQ(source.source, kActivation.text);
  EXPECT_EQ(source.options,
            (List{"--gpu-architecture=sm_90a", "--std=c++17", "--fmad=false",
                  "--dlink-time-opt", "--no-source-include",
                  "--pre-include=carousel/externs.h"}));
  EXPECT_EQ(source.headers[0], "carousel/externs.h");
  EXPECT_EQ(source.headerTexts[0],
            "extern \"C\" __device__ float activation(float);\n");
  std::vector<fake::nvjitlink::Link> links = fake::nvjitlink::getLinks();
  EXPECT_EQ(links[0].name, "m.sm_90a.ptx");
  EXPECT_EQ(links[0].type, NVJITLINK_INPUT_PTX);
  EXPECT_EQ(links[1].name, "relu.cu");
  EXPECT_EQ(links[1].type, NVJITLINK_INPUT_LTOIR);
  EXPECT_EQ(links[1].options, (List{"-arch=sm_90a", "-lto", "-fma=0"}));
}

TEST_F(LinkSources, CUDA) {
  Package package =
      makePackage({kCallingPTXImage, kCallingCUDAImage}, kExterns);
  LoadOptions load = with({kActivation});
  load.via = LoadOptions::Via::CUDA;
  expectCubin(package,
              "FAKECUBIN sm_90a nvjitlink\n" + toLTO(kActivation) +
                  "FAKELTO sm_90a nvrtc\n" + kCallingCUDAImage.contents + '\0',
              load);
  std::vector<fake::nvrtc::Compilation> compilations =
      fake::nvrtc::getCompilations();
  ASSERT_EQ(compilations.size(), 2u);
  // The declaration is for the user's sources: the module has its own.
  EXPECT_EQ(compilations[1].name, "m.sm_90a.cu");
  EXPECT_EQ(compilations[1].options,
            (List{"--gpu-architecture=sm_90a", "--std=c++17", "--fmad=false",
                  "--dlink-time-opt", "--no-source-include"}));
}

TEST_F(LinkSources, Options) {
  Package package = makePackage({kCallingPTXImage}, kExterns);
  LoadOptions load = with({kActivation});
  load.cuda.fastMath = true;
  load.cuda.lineInfo = true;
  load.cuda.headers = {{"mine.h", "int mine;"}};
  load.cuda.more = {"-DX=1"};
  ASSERT_TRUE(compile(package, load));
  fake::nvrtc::Compilation source = fake::nvrtc::getCompilations()[0];
  EXPECT_EQ(source.options,
            (List{"--gpu-architecture=sm_90a", "--std=c++17", "--use_fast_math",
                  "--generate-line-info", "--dlink-time-opt", "-DX=1",
                  "--no-source-include", "--pre-include=carousel/externs.h"}));
  EXPECT_EQ(source.headers[1], "mine.h");
  EXPECT_EQ(fake::nvjitlink::getLinks()[0].options,
            (List{"-arch=sm_90a", "-lto", "-ftz=1", "-prec-div=0",
                  "-prec-sqrt=0", "-fma=1", "-lineinfo"}));
}

/// A type that C++ may spell in several ways is left to the user.
TEST_F(LinkSources, DeclarationsWhereTypesAreCertain) {
  Package package = makePackage({kPTXImage}, R"(, "externs": [
      {"name": "a", "result": null, "parameters": ["f32", "f64"]},
      {"name": "b", "result": "i32", "parameters": ["f32"]},
      {"name": "c", "result": "f32", "parameters": ["ptr"]}])");
  ASSERT_TRUE(compile(package, with({kActivation})));
  EXPECT_EQ(fake::nvrtc::getCompilations()[0].headerTexts[0],
            "extern \"C\" __device__ void a(float, double);\n");
}

TEST_F(LinkSources, TheCacheSparesTheWork) {
  Package package = makePackage({kCallingPTXImage}, kExterns);
  auto compilesAnew = [&](const LoadOptions &load) {
    Counts before = countCompilations();
    Result<std::string> cubin = compile(package, load);
    EXPECT_TRUE(cubin) << cubin.error().message;
    return countCompilations() != before;
  };
  LoadOptions load = with({kActivation});
  EXPECT_TRUE(compilesAnew(load));
  EXPECT_FALSE(compilesAnew(load));
  LoadOptions other = load;
  other.deviceSources[0].text += "\n";
  EXPECT_TRUE(compilesAnew(other)) << "text";
  other.deviceSources[0] = {"b.cu", kActivation.text};
  EXPECT_TRUE(compilesAnew(other)) << "name";
  other.deviceSources = {kActivation, {"other.cu", "int other;"}};
  EXPECT_TRUE(compilesAnew(other)) << "number";
  other = load;
  other.cuda.headers = {{"mine.h", ""}};
  EXPECT_TRUE(compilesAnew(other)) << "headers";
  other = load;
  other.cuda.fastMath = true;
  EXPECT_TRUE(compilesAnew(other)) << "options";
  fake::nvjitlink::setVersion(13, 1);
  EXPECT_TRUE(compilesAnew(load)) << "nvJitLink's version";
  fake::nvrtc::setVersion(13, 1);
  EXPECT_TRUE(compilesAnew(load)) << "NVRTC's version";
  EXPECT_FALSE(compilesAnew(load));
}

TEST_F(LinkSources, CubinsAreNotLinked) {
  // The package was put together by somebody who linked it.
  Package package = makePackage({kCubinImage, kCallingPTXImage}, kExterns);
  expectCubin(package, kCubinImage.contents, with({kActivation}));
}

//===----------------------------------------------------------------------===//
// Errors of links
//===----------------------------------------------------------------------===//

TEST_F(LinkSources, NoSources) {
  Package package = makePackage({kCallingPTXImage}, R"(, "externs": [
      {"name": "activation", "result": "f32", "parameters": ["f32"]},
      {"name": "scale", "result": null, "parameters": ["ptr", "i64"]}])");
  expectError(
      package, ErrorCode::InvalidArgument,
      "module 'm' calls what it doesn't define: expected device "
      "sources with extern \"C\" __device__ float activation(float), "
      "extern \"C\" __device__ void scale(void *, long long), got none");
  EXPECT_EQ(countCompilations(), (Counts{0, 0, 0}));
}

TEST_F(LinkSources, SourcesWithoutTheFunction) {
  Package package =
      makePackage({kCallingPTXImage, kCallingCUDAImage}, kExterns);
  expectError(package, ErrorCode::CompileError,
              "module 'm': expected a device source that defines extern \"C\" "
              "__device__ float activation(float), got a.cu, b.cu",
              with({{"a.cu", "int a;"}, {"b.cu", "int b;"}}));
  // The other image would lack it too.
  EXPECT_EQ(fake::nvrtc::getCompilations().size(), 2u);
}

TEST_F(LinkSources, ASourceThatDoesNotCompile) {
  Package package =
      makePackage({kCallingPTXImage, kCallingCUDAImage}, kExterns);
  expectError(package, ErrorCode::CompileError,
              "module 'm': NVRTC failed: bad.cu:1: #error wrong",
              with({kActivation, {"bad.cu", "#error wrong\n"}}));
  EXPECT_TRUE(fake::nvjitlink::getLinks().empty());
}

/// nvJitLink only notes it.
TEST_F(LinkSources, AnotherType) {
  fake::nvjitlink::setLog("error   : Prototype doesn't match for 'activation' "
                          "in 'ltoPtx', first defined in 'ltoPtx'\n");
  Package package = makePackage({kCallingPTXImage}, kExterns);
  expectError(package, ErrorCode::CompileError,
              "module 'm': expected a device source that defines extern \"C\" "
              "__device__ float activation(float), got relu.cu, where it has "
              "another type",
              with({kActivation}));
}

TEST_F(LinkSources, MissingLibraries) {
  Package package = makePackage({kCallingPTXImage}, kExterns);
  options.libraries.nvJitLink = "/nonexistent/libnvJitLink.so.13";
  Result<std::string> cubin = compile(package, with({kActivation}));
  ASSERT_FALSE(cubin);
  EXPECT_EQ(cubin.error().code, ErrorCode::NoLibrary);
  EXPECT_NE(cubin.error().message.find("/nonexistent/libnvJitLink.so.13"),
            std::string::npos)
      << cubin.error().message;
}

//===----------------------------------------------------------------------===//
// The way
//===----------------------------------------------------------------------===//

LoadOptions by(LoadOptions::Via via) {
  LoadOptions load;
  load.via = via;
  return load;
}

TEST_F(LinkSources, Via) {
  Package package = makePackage({kCubinImage, kPTXImage, kCUDAImage});
  expectCubin(package, kCubinImage.contents, by(LoadOptions::Via::Any));
  expectCubin(package, kCubinImage.contents, by(LoadOptions::Via::PTX));
  expectCubin(package, fromCUDA(kCUDA), by(LoadOptions::Via::CUDA));
  package = makePackage({kPTXImage, kCUDAImage});
  expectCubin(package, kPTX, by(LoadOptions::Via::PTX));
}

/// No other kind steps in.
TEST_F(LinkSources, ViaFails) {
  Package package = makePackage(
      {kPTXImage, {"sm_90a", "cuda", "m.sm_90a.cu", "#error wrong\n"}});
  expectError(package, ErrorCode::CompileError,
              "module 'm' has no image that works on compute capability 9.0: "
              "m.sm_90a.cu: NVRTC failed: m.sm_90a.cu:1: #error wrong",
              by(LoadOptions::Via::CUDA));
}

TEST_F(LinkSources, ViaWhatIsNotThere) {
  expectError(makePackage({kCubinImage, kPTXImage}), ErrorCode::CompileError,
              "module 'm' has no CUDA C++ for compute capability 9.0, which "
              "alone was asked for; it has sm_90a (cubin, ptx)",
              by(LoadOptions::Via::CUDA));
  expectError(makePackage({kCUDAImage}), ErrorCode::CompileError,
              "module 'm' has no PTX for compute capability 9.0, which alone "
              "was asked for; it has sm_90a (cuda)",
              by(LoadOptions::Via::PTX));
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

class LoadKernel : public Compile {
protected:
  Package open(std::string_view manifest) {
    std::map<std::string, std::string> files = makeFiles(manifest);
    for (auto &[name, contents] : files) {
      bool isCubin = name.find(".cubin") != std::string::npos;
      bool isPTX = name.find(".ptx") != std::string::npos;
      contents = isCubin ? "FAKECUBIN " + name
                 : isPTX ? ".version 8.0 // " + name
                         : "__global__ void scale() {} // " + name;
    }
    std::string path = directory / fmt::format("kernels{}", count++);
    writePackage(path, manifest, files);
    Result<Package> package = Package::open(path);
    EXPECT_TRUE(package) << package.error().message;
    return *package;
  }
  int count = 0;
};

TEST_F(LoadKernel, ViaPerKernel) {
  Package package = open(makeCopyManifest());
  Context context = makeContext();
  fake::nvrtc::setLog("simple.sm_80.cu(1): warning: careful\n");
  Result<Kernel> first = Kernel::get(context, package, "scale");
  Result<Kernel> second =
      Kernel::get(context, package, "scale", by(LoadOptions::Via::CUDA));
  Result<Kernel> third =
      Kernel::get(context, package, "scale", by(LoadOptions::Via::CUDA));
  ASSERT_TRUE(first && second && third);
  for (const Kernel *kernel : {&*first, &*second, &*third})
    ASSERT_TRUE(kernel->loadAll());
  EXPECT_EQ(fake::countLoadedModules(), 2u) << "equal options share";
  EXPECT_EQ(countCompilations(), (Counts{1, 0, 1}));
  EXPECT_TRUE(first->getCompileMessages().empty());
  std::vector<CompileMessage> messages = third->getCompileMessages();
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(toString(messages[0]),
            "simple.sm_80.cu:1: warning: careful (in 'scale')");
}

TEST_F(LoadKernel, ViaWhatIsNotThere) {
  Result<Kernel> kernel = Kernel::get(makeContext(), open(makeCopyManifest()),
                                      "gather", by(LoadOptions::Via::CUDA));
  ASSERT_TRUE(kernel) << kernel.error().message;
  int64_t extents[] = {8, 1, 64, 1};
  Argument x = Argument::tensor(ElementType::F16, 0x10000, 4, extents);
  Status status = kernel->launch(&x, 1);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::NoVariant);
  EXPECT_NE(status.error().message.find(
                "gather: expected CUDA C++ of module 'copies', which has "
                "sm_90a (cubin, ptx)"),
            std::string::npos)
      << status.error().message;
}

TEST_F(LoadKernel, SourcesThatNothingNeeds) {
  LoadOptions load;
  load.deviceSources = {kActivation};
  Result<Kernel> kernel =
      Kernel::get(makeContext(), open(makeCopyManifest()), "scale", load);
  ASSERT_FALSE(kernel);
  EXPECT_EQ(kernel.error().code, ErrorCode::InvalidArgument);
  EXPECT_EQ(kernel.error().message,
            "expected no device source for 'scale', which has all functions "
            "that it calls, got relu.cu");
  // One module of two needs them.
  std::string manifest = setMember(
      makeCopyManifest(), "/modules/1/externs",
      R"([{"name": "activation", "result": "f32", "parameters": ["f32"]}])");
  kernel = Kernel::get(makeContext(), open(manifest), "copy", load);
  ASSERT_TRUE(kernel) << kernel.error().message;
  Status status = kernel->loadAll();
  EXPECT_TRUE(status) << status.error().message;
  EXPECT_EQ(fake::nvrtc::getCompilations().size(), 1u);
}

} // namespace
