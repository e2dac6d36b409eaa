//===- CompileCacheTest.cpp - cached cubins and loaded modules ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compilations that the disk cache must or must not replace, and cubins that
// the driver refuses.
//
//===----------------------------------------------------------------------===//

#include "Compile/Compilers.h"
#include "FakeCompileTest.h"
#include "Support/Process.h"

#include <fmt/format.h>

#include <atomic>
#include <set>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

using namespace carousel;
using namespace carousel::runtime;
using namespace carousel::runtime::test;
namespace fs = std::filesystem;

namespace {

Result<ModuleCode> load(Context &context, const Package &package) {
  ModuleImages images(package.getManifest().modules[0],
                      context.getDevice().computeCapability);
  return loadModule(context.getImpl(), package, 0, images, {}, {});
}

//===----------------------------------------------------------------------===//
// The disk cache
//===----------------------------------------------------------------------===//

TEST_F(Compile, TheCacheSparesTheWork) {
  const TestImage images[] = {kCUDAImage,
                              {"sm_80", "cuda", "m.sm_80.cu", kCUDA}};
  for (const TestImage &image : images) {
    Package package = makePackage({image});
    Result<std::string> first = compile(package);
    ASSERT_TRUE(first) << first.error().message;
    Counts counts = countCompilations();
    Result<std::string> second = compile(package);
    ASSERT_TRUE(second);
    EXPECT_EQ(*first, *second);
    EXPECT_EQ(countCompilations(), counts) << image.file;
  }
  EXPECT_EQ(countCompilations(), (Counts{0, 0, 2}));
}

TEST_F(Compile, TheCacheSparesNvJitLink) {
  Package package = makePackage({kPTXImage});
  for (int i = 0; i < 2; ++i) {
    // The driver is asked each time; it refuses at once.
    fake::failNext("cuModuleLoadDataEx", CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
    expectCubin(package, jitLinked(kPTX));
    EXPECT_EQ(fake::nvjitlink::getLinks().size(), 1u);
  }
}

TEST_F(Compile, CacheOff) {
  options.cacheBytes = 0;
  Package package = makePackage({kCUDAImage});
  expectCubin(package, fromCUDA(kCUDA));
  expectCubin(package, fromCUDA(kCUDA));
  EXPECT_EQ(countCompilations(), (Counts{0, 0, 2}));
  EXPECT_FALSE(fs::exists(options.cacheDirectory));
}

TEST_F(Compile, NoPlaceForTheCache) {
  writeFile(options.cacheDirectory, "a file");
  Package package = makePackage({kCUDAImage});
  expectCubin(package, fromCUDA(kCUDA));
  expectCubin(package, fromCUDA(kCUDA));
  EXPECT_EQ(countCompilations(), (Counts{0, 0, 2}));
}

/// The compiled code depends on each of these, so the entry is another.
TEST_F(Compile, CacheKey) {
  auto compilesAnew = [&](const TestImage &image) {
    Counts before = countCompilations();
    Result<std::string> cubin = compile(makePackage({image}));
    EXPECT_TRUE(cubin) << cubin.error().message;
    return countCompilations() != before;
  };
  TestImage cuda = {"sm_80", "cuda", "m.cu", kCUDA};
  EXPECT_TRUE(compilesAnew(cuda));
  EXPECT_FALSE(compilesAnew(cuda));

  TestImage other = cuda;
  other.contents += "\n";
  EXPECT_TRUE(compilesAnew(other)) << "content";
  other.contents.back() = ' ';
  EXPECT_TRUE(compilesAnew(other)) << "content of the same size";
  other = cuda;
  other.file = "n";
  EXPECT_TRUE(compilesAnew(other)) << "file name";
  other = cuda;
  other.chip = "sm_90a";
  EXPECT_TRUE(compilesAnew(other)) << "architecture";

  fake::setDriverVersion(13010);
  EXPECT_TRUE(compilesAnew(cuda)) << "driver version";
  fake::setDriverVersion(13000);
  EXPECT_FALSE(compilesAnew(cuda));

  setCapability(9, 1);
  EXPECT_TRUE(compilesAnew(cuda)) << "compute capability";
  setCapability(9, 0);
  EXPECT_FALSE(compilesAnew(cuda));

  fake::nvrtc::setVersion(13, 1);
  EXPECT_TRUE(compilesAnew(cuda)) << "NVRTC's version";

  auto linksAnew = [&] {
    fake::failNext("cuModuleLoadDataEx", CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
    size_t before = fake::nvjitlink::getLinks().size();
    EXPECT_TRUE(compile(makePackage({{"sm_80", "ptx", "new.ptx", kPTX}})));
    return fake::nvjitlink::getLinks().size() != before;
  };
  fake::nvjitlink::setVersion(13, 0);
  ASSERT_TRUE(linksAnew());
  fake::nvjitlink::setVersion(13, 1);
  EXPECT_TRUE(linksAnew()) << "nvJitLink's version";
  fake::nvjitlink::setVersion(13, 0);
  EXPECT_FALSE(linksAnew());
}

/// Parts of the key that no package can vary count, too.
TEST(CacheKey, EveryPartCounts) {
  DeviceInfo device;
  device.computeCapability = 90;
  device.driverVersion = 13000;
  Image image = {"sm_90a", Image::Kind::PTX, "m.ptx", 5, "0123"};
  auto make = [&](const Compiler &compiler, const char *version,
                  const std::vector<std::string> &options) {
    return makeCacheKey(device, image, compiler, version, "sm_90a", options);
  };
  EXPECT_EQ(make(kNVRTC, "13.0", {"-a", "-b"}),
            "carousel cubin 3\nimage ptx 5 bytes 0123\ncompute capability 90\n"
            "architecture sm_90a\ndriver 13000\ncompiler 5 NVRTC\n"
            "version 4 13.0\npart 2 -a\npart 2 -b\nfile 5 m.ptx\n");
  std::set<std::string> keys = {
      make(kNVRTC, "13.0", {}), make(kNvJitLink, "13.0", {}),
      make(kNVRTC, "13.1", {}), make(kNVRTC, "13.0", {"-a"}),
      make(kNVRTC, "13.0", {"-b"}), make(kNVRTC, "13.0", {"-a", "-b"}),
      make(kNVRTC, "13.0", {"-b", "-a"}),
      // A text that looks like another list isn't that list.
      make(kNVRTC, "13.0", {"-a\npart 2 -b"})};
  image.kind = Image::Kind::CUDA;
  keys.insert(make(kNVRTC, "13.0", {}));
  EXPECT_EQ(keys.size(), 9u);
}

TEST_F(Compile, DamagedEntriesAreRebuilt) {
  Package package = makePackage({kCUDAImage});
  expectCubin(package, fromCUDA(kCUDA));
  fs::path entry = onlyEntry();
  std::string intact = read(entry);
  size_t builds = 1;
  for (std::string damaged :
       {std::string(), intact.substr(0, intact.size() / 2),
        std::string("foreign"),
        intact.substr(0, intact.size() - 65) + "?" +
            intact.substr(intact.size() - 64)}) {
    writeFile(entry, damaged);
    expectCubin(package, fromCUDA(kCUDA));
    EXPECT_EQ(countCompilations(), (Counts{0, 0, ++builds}));
    EXPECT_EQ(read(entry), intact);
    expectCubin(package, fromCUDA(kCUDA));
    EXPECT_EQ(countCompilations(), (Counts{0, 0, builds}));
  }
}

TEST_F(Compile, TwoProcessesAtOnce) {
  std::vector<Package> packages;
  std::vector<std::string> sources;
  for (int i = 0; i < 6; ++i) {
    sources.push_back(
        fmt::format("{}// {} {}\n", kCUDA, i, std::string(i * 10000, 'x')));
    packages.push_back(makePackage({{"sm_90a", "cuda", "m.cu", sources[i]}}));
  }
  // Forget all uses of the fake before the fork: a child has its own driver.
  // Other tests may have used it in this process.
  forgetUse();
  std::vector<pid_t> children;
  for (int process = 0; process < 2; ++process) {
    pid_t pid = ::fork();
    if (pid == 0) {
      std::atomic<int> failures = 0;
      {
        Context context = makeContext();
        std::vector<std::thread> threads;
        for (int thread = 0; thread < 4; ++thread)
          threads.emplace_back([&, thread] {
            for (int i = 0; i < 24; ++i) {
              size_t which = (i + thread) % packages.size();
              Result<std::string> cubin = compile(context, packages[which]);
              if (!cubin || *cubin != fromCUDA(sources[which]))
                ++failures;
            }
          });
        for (std::thread &thread : threads)
          thread.join();
      }
      ::_exit(failures ? 1 : 0);
    }
    children.push_back(pid);
  }
  for (pid_t pid : children) {
    int status = -1;
    ASSERT_EQ(::waitpid(pid, &status, 0), pid);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }
  for (size_t i = 0; i < packages.size(); ++i)
    expectCubin(packages[i], fromCUDA(sources[i]));
  EXPECT_EQ(countCompilations(), (Counts{0, 0, 0})) << "an entry was lost";
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

/// The text that the driver was given last.
std::string lastImage() {
  std::vector<std::string> images = fake::getImages();
  return images.empty() ? "" : images.back();
}

TEST_F(Compile, LoadModule) {
  Package package = makePackage({kCubinImage, kPTXImage});
  Context context = makeContext();
  Result<ModuleCode> module = load(context, package);
  ASSERT_TRUE(module) << module.error().message;
  EXPECT_NE(module->loaded, nullptr);
  EXPECT_EQ(fake::countLoadedModules(), 1u);
  EXPECT_EQ(lastImage(), kCubinImage.contents);
  EXPECT_EQ(countCompilations(), (Counts{0, 0, 0}));
}

/// Compiled, and from the cache.
TEST_F(Compile, ALinkerThatIgnoresRegistersSaysSo) {
  Package package = makePackage(
      {{"sm_90a", "ptx", "m.ptx",
        std::string(kPTX) + "setmaxnreg.dec.sync.aligned.u32 40;"}});
  Context context = makeContext();
  for (bool isOld : {false, true, true}) {
    if (isOld)
      fake::failNext("cuModuleLoadDataEx", CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
    Result<ModuleCode> module = load(context, package);
    ASSERT_TRUE(module) << module.error().message;
    ASSERT_EQ(module->messages.size(), isOld ? 1u : 0u);
    if (isOld)
      EXPECT_EQ(toString(module->messages[0]),
                "m.ptx: warning: nvJitLink ignores setmaxnreg, so that kernels "
                "with producer warps may spill registers");
  }
  EXPECT_EQ(countCompilations(), (Counts{3, 1, 0}));
}

TEST_F(Compile, ARefusedCubinOfThePackage) {
  // As of a toolkit newer than the driver.
  Package package = makePackage({kCubinImage, kPTXImage});
  Context context = makeContext();
  fake::failNext("cuModuleLoadDataEx", CUDA_ERROR_INVALID_IMAGE);
  Result<ModuleCode> module = load(context, package);
  ASSERT_TRUE(module) << module.error().message;
  EXPECT_EQ(lastImage(), kPTX);
}

TEST_F(Compile, ARefusedCubinOfTheCache) {
  Package package =
      makePackage({kCUDAImage, {"sm_80", "cuda", "m.sm_80.cu", kCUDA}});
  Context context = makeContext();
  ASSERT_TRUE(load(context, package));
  ASSERT_EQ(countCompilations(), (Counts{0, 0, 1}));
  fs::file_time_type stored = fs::last_write_time(onlyEntry());

  fake::failNext("cuModuleLoadDataEx", CUDA_ERROR_NO_BINARY_FOR_GPU);
  Result<ModuleCode> module = load(context, package);
  ASSERT_TRUE(module) << module.error().message;
  EXPECT_EQ(countCompilations(), (Counts{0, 0, 2})) << "compiled anew";
  EXPECT_EQ(lastImage() + '\0', fromCUDA(kCUDA));
  EXPECT_GE(fs::last_write_time(onlyEntry()), stored);

  ASSERT_TRUE(load(context, package));
  EXPECT_EQ(countCompilations(), (Counts{0, 0, 2})) << "cached again";

  // Refused twice: what is compiled now isn't better, so it isn't kept.
  fake::failNext("cuModuleLoadDataEx", CUDA_ERROR_INVALID_IMAGE, 0, 2);
  module = load(context, package);
  ASSERT_TRUE(module) << module.error().message;
  EXPECT_EQ(lastImage() + '\0', fromCUDA(kCUDA, "sm_90"));
  EXPECT_EQ(countCompilations(), (Counts{0, 0, 4}));
  EXPECT_NE(read(onlyEntry()).find("FAKECUBIN sm_90 "), std::string::npos);
}

TEST_F(Compile, RefusedByTheDriver) {
  Package package = makePackage({kCubinImage, kCUDAImage});
  Context context = makeContext();
  fake::failNext("cuModuleLoadDataEx", CUDA_ERROR_INVALID_IMAGE, 0, 2);
  Result<ModuleCode> module = load(context, package);
  ASSERT_FALSE(module);
  EXPECT_EQ(module.error().code, ErrorCode::CompileError);
  for (const char *part :
       {"module 'm' has no image that works on compute capability 9.0: "
        "m.sm_90a.cubin: the driver refused it: cuModuleLoadDataEx failed: ",
        "; m.sm_90a.cu: the driver refused what NVRTC made of it: "
        "cuModuleLoadDataEx failed: "})
    EXPECT_NE(module.error().message.find(part), std::string::npos)
        << module.error().message;
  EXPECT_FALSE(fs::exists(options.cacheDirectory));
}

TEST_F(Compile, ARefusedCubinOfTheCacheIsNoNews) {
  Package package = makePackage({kCUDAImage});
  Context context = makeContext();
  ASSERT_TRUE(load(context, package));
  fake::failNext("cuModuleLoadDataEx", CUDA_ERROR_INVALID_IMAGE, 0, 2);
  Result<ModuleCode> module = load(context, package);
  ASSERT_FALSE(module);
  EXPECT_EQ(module.error().message.find(
                "module 'm' has no image that works on compute capability 9.0: "
                "m.sm_90a.cu: the driver refused what NVRTC made of it: "),
            0u)
      << module.error().message;
}

TEST_F(Compile, AnErrorThatIsNotTheImages) {
  Package package = makePackage({kCubinImage, kPTXImage});
  Context context = makeContext();
  fake::failNext("cuModuleLoadDataEx", CUDA_ERROR_OUT_OF_MEMORY);
  Result<ModuleCode> module = load(context, package);
  ASSERT_FALSE(module);
  EXPECT_EQ(module.error().code, ErrorCode::OutOfMemory);
  EXPECT_EQ(module.error().message.find("cuModuleLoadDataEx failed: "), 0u)
      << module.error().message;
  EXPECT_EQ(countCompilations(), (Counts{0, 0, 0}));
  ASSERT_TRUE(load(context, package));
}

} // namespace
