//===- ForkTest.cpp - children of a process that uses CUDA ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every entry point fails at once because CUDA doesn't work there, whatever
// locks the parent's other threads held. Functions that need no CUDA work.
//
//===----------------------------------------------------------------------===//

#include "KernelTest.h"
#include "Support/Process.h"

#include "carousel/Runtime/Module.h"
#include "carousel/Runtime/TensorMap.h"
#include "carousel_runtime.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <optional>
#include <string>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

using namespace carousel;
using namespace carousel::runtime;
using namespace carousel::runtime::test;

namespace {
using ForkTest = KernelFixture;

/// Runs `body` in a child, which succeeds where that returns an empty text. A
/// child that hangs is killed.
template <typename Body> void expectInChild(Body body) {
  pid_t child = ::fork();
  if (child == 0) {
    std::string problem = body();
    if (!problem.empty())
      (void)!::write(STDERR_FILENO, problem.data(), problem.size());
    ::_exit(problem.empty() ? 0 : 1);
  }
  ASSERT_GT(child, 0);
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  int status = 0;
  pid_t waited;
  while ((waited = ::waitpid(child, &status, WNOHANG)) == 0 &&
         std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  if (waited == 0) {
    ::kill(child, SIGKILL);
    ::waitpid(child, &status, 0);
    FAIL() << "a child hangs";
  }
  ASSERT_TRUE(WIFEXITED(status));
  ASSERT_EQ(WEXITSTATUS(status), 0);
}

/// All that a parent may have made before it forks.
struct Objects {
  Context context;
  Package package;
  Kernel kernel;
  std::optional<Launch> launch;
  Module module;
  Buffer buffer;
};

/// Checks how the entries behave in a child. Returns the fault, or an empty
/// text.
std::string checkEntries(Objects &objects, const std::string &directory) {
  std::string problems;
  auto expectLost = [&](const char *what, const auto &result) {
    if (result)
      problems += std::string(what) + " succeeded\n";
    else if (result.error().code != ErrorCode::ContextLost)
      problems += std::string(what) + ": " + result.error().message + "\n";
  };
  CopyArguments arguments(1024);
  char host[16] = {};
  TensorMapFormat format;
  format.rank = 1;
  format.box = {64};
  format.elementStrides = {1};
  TensorMapSource source;
  source.address = 0x10000;
  source.rank = 1;
  source.extents[0] = 64;
  ContextOptions options;
  options.libraries.driver = CAROUSEL_FAKE_DRIVER;
  const Kernel &kernel = objects.kernel;
  expectLost("Context::create", Context::create(options));
  expectLost("synchronize", objects.context.synchronize());
  expectLost("allocate", Buffer::allocate(objects.context, 16));
  expectLost("upload", objects.buffer.upload(host, 16));
  expectLost("download", objects.buffer.download(host, 16));
  expectLost("fill", objects.buffer.fill(0));
  expectLost("Kernel::get",
             Kernel::get(objects.context, objects.package, "copy"));
  expectLost("Kernel::launch", kernel.launch(arguments.list, 2));
  expectLost("prepare", kernel.prepare(arguments.list, 2));
  expectLost("prepareVariant",
             kernel.prepareVariant("copy_bulk", arguments.list, 2));
  expectLost("explain", kernel.explain(arguments.list, 2));
  expectLost("loadAll", kernel.loadAll());
  expectLost("Launch::run", objects.launch->run());
  expectLost("Module::launch", objects.module.launch("k", {}, nullptr));
  expectLost("Module::load", Module::load(objects.context, {}));
  expectLost("compileCUDA", compileCUDA(CUDASource(), CompileOptions()));
  expectLost("compileCUDA in a context",
             compileCUDA(objects.context, CUDASource()));
  expectLost("TensorMap::encode",
             TensorMap::encode(objects.context, format, source));
  if (!kernel.getCompileMessages().empty() ||
      !objects.context.describeExpiredWaits().empty())
    problems += "messages from nowhere\n";
  // The C interface has the same.
  carousel_context *created = nullptr;
  carousel_status status = carousel_context_create(nullptr, &created);
  if (status != CAROUSEL_CONTEXT_LOST ||
      std::string(carousel_status_name(status)) != "context lost")
    problems += "carousel_context_create succeeded\n";
  // These need no CUDA.
  if (Result<Package> opened = Package::open(directory); !opened)
    problems += opened.error().message + "\n";
  if (Status checked = TensorMap::check(format, source, "x"); !checked)
    problems += checked.error().message + "\n";
  return problems;
}

class ForkFixture : public ForkTest {
protected:
  Objects makeObjects() {
    Context context = open();
    Package package = writeAndOpen(makeCopyManifest());
    Result<Kernel> kernel = Kernel::get(context, package, "copy");
    CopyArguments arguments(1024);
    Result<Launch> launch = kernel->prepare(arguments.list, 2);
    Result<Module> module =
        Module::load(context, {CodeKind::Cubin, "", "FAKECUBIN"});
    Result<Buffer> buffer = Buffer::allocate(context, 16);
    EXPECT_TRUE(kernel && launch && module && buffer);
    return {context, package, *kernel, *launch, *module, std::move(*buffer)};
  }
};

TEST_F(ForkFixture, EachEntrySaysSo) {
  Objects objects = makeObjects();
  std::string path = objects.package.getDirectory();
  expectInChild([&] { return checkEntries(objects, path); });
  // Not only in children of its own.
  expectInChild([&]() -> std::string {
    pid_t grandchild = ::fork();
    if (grandchild == 0)
      ::_exit(checkEntries(objects, path).empty() ? 0 : 1);
    int status = 1;
    ::waitpid(grandchild, &status, 0);
    return status == 0 ? "" : "a grandchild differs\n";
  });
  // The parent goes on.
  CopyArguments arguments(1024);
  EXPECT_TRUE(objects.kernel.launch(arguments.list, 2));
}

TEST_F(ForkFixture, MessageNamesTheWayOut) {
  Context context = open();
  expectInChild([&]() -> std::string {
    Status status = context.synchronize();
    std::string expected =
        "expected a process that uses CUDA first, got process " +
        std::to_string(::getpid()) +
        ", which was forked from one that used it: CUDA doesn't work there; "
        "fork before the first use, or start a program by exec";
    return !status && status.error().message == expected
               ? ""
               : status.error().message + "\n";
  });
}

TEST_F(ForkFixture, DestructorsCallNoDriver) {
  auto objects = std::make_unique<Objects>(makeObjects());
  expectInChild([&]() -> std::string {
    // The driver would note these calls.
    unsigned before = fake::countCalls("cuModuleUnload") +
                      fake::countCalls("cuMemFree") +
                      fake::countCalls("cuDevicePrimaryCtxRelease");
    objects.reset();
    unsigned after = fake::countCalls("cuModuleUnload") +
                     fake::countCalls("cuMemFree") +
                     fake::countCalls("cuDevicePrimaryCtxRelease");
    return before == after ? "" : "the driver was called\n";
  });
}

/// A child may use CUDA where its parent hasn't.
TEST_F(ForkFixture, BeforeTheFirstUse) {
  forgetUse(); // by other tests
  expectInChild([&]() -> std::string {
    ContextOptions options;
    options.libraries.driver = CAROUSEL_FAKE_DRIVER;
    options.cacheBytes = 0;
    Result<Context> context = Context::create(options);
    return context ? "" : context.error().message + "\n";
  });
}

TEST_F(ForkFixture, BesideALoadingThread) {
  Objects objects = makeObjects();
  std::string path = objects.package.getDirectory();
  std::atomic<bool> stop = false;
  // Holds this library's locks, and the driver's, most of the time.
  std::thread loader([&] {
    while (!stop) {
      Result<Kernel> kernel =
          Kernel::get(objects.context, objects.package, "copy_2d");
      EXPECT_TRUE(kernel && kernel->loadAll());
    }
  });
  for (int i = 0; i < 20 && !HasFatalFailure(); ++i)
    expectInChild([&] { return checkEntries(objects, path); });
  stop = true;
  loader.join();
}

} // namespace
