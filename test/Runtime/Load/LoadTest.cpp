//===- LoadTest.cpp - modules of kernels ----------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// When modules are loaded and unloaded, and the checks of a function. A launch
// whose modules are loaded allocates no memory, takes no lock, and makes no
// driver call but its own.
//
//===----------------------------------------------------------------------===//

#include "CAPI/CAPIImpl.h"
#include "KernelTest.h"
#include "OrderedManifest.h"

#include <atomic>
#include <cstdlib>
#include <dlfcn.h>
#include <mutex>
#include <new>
#include <pthread.h>

using namespace carousel;
using namespace carousel::runtime;
using namespace carousel::runtime::test;

//===----------------------------------------------------------------------===//
// Counted memory
//===----------------------------------------------------------------------===//

#ifndef __has_feature
#define __has_feature(feature) 0
#endif
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) &&                    \
    !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer) &&   \
    !__has_feature(memory_sanitizer)
#define CAROUSEL_COUNTS_ALLOCATIONS 1
static thread_local unsigned allocations = 0;

// Visible, so that the C++ library's operator new ends here too.
#pragma GCC visibility push(default)
extern "C" {
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);
void *malloc(size_t bytes) {
  ++allocations;
  return __libc_malloc(bytes);
}
void *calloc(size_t count, size_t bytes) {
  ++allocations;
  return __libc_calloc(count, bytes);
}
void *realloc(void *memory, size_t bytes) {
  ++allocations;
  return __libc_realloc(memory, bytes);
}
void *aligned_alloc(size_t alignment, size_t bytes) {
  ++allocations;
  return __libc_memalign(alignment, bytes);
}

static thread_local unsigned locks = 0;
int pthread_mutex_lock(pthread_mutex_t *mutex) noexcept {
  static auto *next = reinterpret_cast<int (*)(pthread_mutex_t *)>(
      dlsym(RTLD_NEXT, "pthread_mutex_lock"));
  ++locks;
  return next(mutex);
}
}
#pragma GCC visibility pop
#endif

namespace {
using LoadTest = KernelFixture;

void expectSuccess(const Status &status) {
  EXPECT_TRUE(status) << status.error().message;
}

void expectError(const Status &status, ErrorCode code,
                 const std::string &message) {
  ASSERT_FALSE(status) << message;
  EXPECT_EQ(status.error().code, code);
  EXPECT_EQ(status.error().message, message);
}

#ifdef CAROUSEL_COUNTS_ALLOCATIONS
carousel_argument toC(const Argument &from) {
  return {int32_t(from.kind), int32_t(from.element), from.rank,    0,
          from.data,          from.extents,          from.strides, from.value};
}

TEST_F(LoadTest, WarmLaunchesTakeNoMemoryAndNoLock) {
  Kernel copy = getKernel("copy"), copy2D = getKernel("copy_2d"),
         ordered = getKernel("ordered", makeOrderedManifest());
  CopyArguments bulk(1024), odd(1001);
  Copy2DArguments matrix(130, 1000, 1024);
  carousel_kernel inC{copy2D};
  const carousel_argument list[2] = {toC(matrix.list[0]), toC(matrix.list[1])};
  auto launchAll = [&] {
    expectSuccess(copy.launch(bulk.list, 2));
    expectSuccess(copy.launch(odd.list, 2)); // the first variant is refused
    expectSuccess(copy2D.launch(matrix.list, 2));
    expectSuccess(ordered.launch(bulk.list, 1)); // with workspaces
    EXPECT_EQ(carousel_kernel_launch(&inC, list, 2, nullptr), CAROUSEL_OK);
  };
  launchAll();
  Result<Launch> prepared = copy2D.prepare(matrix.list, 2);
  Result<Launch> preparedOrdered = ordered.prepare(bulk.list, 1);
  ASSERT_TRUE(prepared && preparedOrdered);
  carousel_launch preparedInC{*prepared};
  fake::setRecording(false);
  uint64_t before = fake::countLaunches();

  allocations = 0;
  void *volatile raw = std::malloc(8);
  std::free(raw);
  int *volatile object = new int;
  delete object;
  ASSERT_EQ(allocations, 2u) << "allocations aren't counted";
  locks = 0;
  std::mutex mutex;
  std::lock_guard<std::mutex>{mutex};
  ASSERT_EQ(locks, 1u) << "locks aren't counted";
  allocations = locks = 0;
  for (int i = 0; i < 100; ++i) {
    launchAll();
    expectSuccess(prepared->run());
    expectSuccess(preparedOrdered->run());
    EXPECT_EQ(carousel_launch_run(&preparedInC, nullptr), CAROUSEL_OK);
  }
  EXPECT_EQ(allocations, 0u);
  EXPECT_EQ(locks, 0u);
  EXPECT_EQ(fake::countLaunches(), before + 800);
}
#endif

TEST_F(LoadTest, WarmLaunchesAskTheDriverForNothing) {
  Kernel kernel = getKernel("copy_2d");
  Copy2DArguments arguments(130, 1000, 1024);
  Result<Launch> prepared = kernel.prepare(arguments.list, 2);
  ASSERT_TRUE(prepared);
  CUcontext context = nullptr;
  ASSERT_EQ(cuDevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxPushCurrent(context), CUDA_SUCCESS);
  fake::clearCalls();
  expectSuccess(kernel.launch(arguments.list, 2));
  expectSuccess(prepared->run());
  std::vector<std::string> calls;
  for (const fake::Call &call : fake::getCalls())
    calls.push_back(call.function);
  EXPECT_EQ(calls,
            (std::vector<std::string>{"cuCtxGetCurrent", "cuLaunchKernelEx",
                                      "cuCtxGetCurrent", "cuLaunchKernelEx"}));
  cuCtxPopCurrent(&context);
  cuDevicePrimaryCtxRelease(0);
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

TEST_F(LoadTest, OnceByManyThreads) {
  Kernel kernel = getKernel("copy");
  CopyArguments arguments(1024);
  std::atomic<unsigned> ready = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      ++ready;
      while (ready < 8)
        std::this_thread::yield();
      expectSuccess(kernel.launch(arguments.list, 2));
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(fake::countCalls("cuModuleLoadDataEx"), 1u);
  EXPECT_EQ(fake::countLaunches(), 8u);
}

TEST_F(LoadTest, KernelsOfAPackageShareAModule) {
  Context context = open();
  Package package = writeAndOpen(makeCopyManifest());
  Result<Kernel> copy = Kernel::get(context, package, "copy");
  Result<Kernel> scale = Kernel::get(context, package, "scale");
  ASSERT_TRUE(copy && scale);
  expectSuccess(copy->loadAll());
  EXPECT_EQ(fake::countLoadedModules(), 2u);
  expectSuccess(scale->loadAll());
  EXPECT_EQ(fake::countLoadedModules(), 2u);
  copy = scale;
  EXPECT_EQ(fake::countLoadedModules(), 1u);
  // Another package, or the same opened again, has modules of its own.
  Result<Package> again = Package::open(package.getDirectory());
  ASSERT_TRUE(again);
  Result<Kernel> other = Kernel::get(context, *again, "scale");
  ASSERT_TRUE(other);
  expectSuccess(other->loadAll());
  EXPECT_EQ(fake::countLoadedModules(), 2u);
}

TEST_F(LoadTest, LoadsOnlyWhatIsChosen) {
  Kernel kernel = getKernel("copy");
  CopyArguments odd(1001);
  expectSuccess(kernel.launch(odd.list, 2));
  EXPECT_EQ(fake::countCalls("cuModuleLoadDataEx"), 1u);
  EXPECT_EQ(fake::countCalls("cuModuleGetFunction"), 1u);
  EXPECT_EQ(fake::getLaunches().at(0).function, "copy_simple");
}

TEST_F(LoadTest, LoadAllSkipsWhatTheDeviceCannotRun) {
  fake::setDevices({makeDevice(8)});
  Kernel copy = getKernel("copy");
  expectSuccess(copy.loadAll());
  EXPECT_EQ(fake::countLoadedModules(), 1u);
  Kernel copy2D = getKernel("copy_2d");
  expectError(copy2D.loadAll(), ErrorCode::NoVariant,
              "no variant of 'copy_2d' runs on compute capability 8.0");
}

/// No other variant steps in for one that can't be had.
TEST_F(LoadTest, FailureIsNotHidden) {
  Kernel kernel = getKernel("copy");
  CopyArguments arguments(1024);
  fake::setMissingFunctions({"copy_bulk"});
  expectError(kernel.launch(arguments.list, 2), ErrorCode::InvalidPackage,
              "expected a function 'copy_bulk' in the module 'copies', got "
              "none");
  EXPECT_EQ(fake::countLaunches(), 0u);
  // It is tried again.
  fake::setMissingFunctions({});
  expectSuccess(kernel.launch(arguments.list, 2));
  EXPECT_EQ(fake::countCalls("cuModuleLoadDataEx"), 1u);
}

TEST_F(LoadTest, OutOfMemory) {
  Kernel kernel = getKernel("copy");
  CopyArguments arguments(1024);
  fake::failNext("cuModuleLoadDataEx", CUDA_ERROR_OUT_OF_MEMORY);
  Status status = kernel.launch(arguments.list, 2);
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().message.find("cuModuleLoadDataEx failed: out of "
                                        "memory (CUDA_ERROR_OUT_OF_MEMORY)"),
            std::string::npos)
      << status.error().message;
  expectSuccess(kernel.launch(arguments.list, 2));
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

TEST_F(LoadTest, Attributes) {
  std::string manifest = setMember(
      makeCopyManifest(), "/kernels/1/variants/0/cluster", "[4, 4, 1]");
  Kernel kernel = getKernel("copy_2d", manifest);
  Copy2DArguments arguments(256, 256, 256);
  // The fake refuses clusters of 16 and that much shared memory without.
  expectSuccess(kernel.launch(arguments.list, 2));
  EXPECT_EQ(fake::countCalls("cuFuncSetAttribute"), 2u);
  fake::Launch launch = fake::getLaunches().at(0);
  EXPECT_EQ(launch.cluster, (std::array<unsigned, 3>{4, 4, 1}));
  EXPECT_EQ(launch.dynamicShared, 32768u);
  Kernel scale = getKernel("scale");
  fake::clearCalls();
  expectSuccess(scale.loadAll());
  EXPECT_EQ(fake::countCalls("cuFuncSetAttribute"), 0u);
}

TEST_F(LoadTest, ParametersOtherThanTheManifest) {
  CopyArguments arguments(1024);
  struct Case {
    std::vector<size_t> sizes;
    const char *message;
  };
  for (const Case &test : std::initializer_list<Case>{
           {{8, 8, 8},
            "copy_bulk: expected 4 parameters as in the manifest, got 3"},
           {{8, 8, 8, 8, 8},
            "copy_bulk: expected 4 parameters as in the manifest, got more"},
           {{8, 4, 8, 4},
            "copy_bulk: expected 8 bytes in parameter 1 as in the manifest, "
            "got 4"}}) {
    fake::setParameterSizes("copy_bulk", test.sizes);
    Kernel kernel = getKernel("copy");
    expectError(kernel.launch(arguments.list, 2), ErrorCode::InvalidPackage,
                test.message);
  }
  EXPECT_EQ(fake::countLaunches(), 0u);
}

/// It can't say what parameters a function has, nor change the capture mode.
TEST_F(LoadTest, OlderDriver) {
  fake::setParameterSizes("copy_bulk", {8, 8, 8});
  ContextOptions options;
  options.libraries.driver = CAROUSEL_FAKE_OLD_DRIVER_FILE;
  Kernel kernel = getKernel("copy", makeCopyManifest(), options);
  expectSuccess(kernel.loadAll());
}

TEST_F(LoadTest, BlockThatTheRegistersDoNotAllow) {
  fake::setFunctionAttribute("copy_bulk",
                             CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 32);
  Kernel kernel = getKernel("copy");
  expectError(kernel.loadAll(), ErrorCode::InvalidPackage,
              "copy_bulk: expected at most 32 threads per block, which its "
              "registers allow, got 64");
}

TEST_F(LoadTest, StaticAndDynamicSharedMemory) {
  fake::setFunctionAttribute("copy_bulk", CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
                             232448 - 65536 + 1);
  Kernel kernel = getKernel("copy");
  expectError(kernel.loadAll(), ErrorCode::InvalidPackage,
              "copy_bulk: expected at most 232448 bytes of shared memory, got "
              "166913 static and 65536 dynamic ones");
}
} // namespace
