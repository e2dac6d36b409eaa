//===- MathLibraryTest.cpp - functions out of a bitcode file --------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Target/MathLibrary.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

#include <array>
#include <thread>

using namespace llvm;
using carousel::MathLibrary;

namespace {

constexpr StringLiteral kLibrary = R"llvm(
  target triple = "nvptx64-nvidia-gpulibs"
  @table = internal constant [2 x float] [float 1.0, float 2.0]
  define float @outer(float %x) {
    %y = call float @inner(float %x)
    ret float %y
  }
  define internal float @inner(float %x) {
    %p = getelementptr float, ptr @table, i64 1
    %t = load float, ptr %p
    %y = fmul float %x, %t
    ret float %y
  }
  define float @other(float %x) {
    ret float %x
  }
)llvm";

class MathLibraryTest : public ::testing::Test {
protected:
  void SetUp() override {
    int file = 0;
    ASSERT_FALSE(
        sys::fs::createTemporaryFile("math-library", "bc", file, path));
    LLVMContext context;
    SMDiagnostic diagnostic;
    std::unique_ptr<Module> module =
        parseAssemblyString(kLibrary, diagnostic, context);
    ASSERT_TRUE(module) << diagnostic.getMessage().str();
    raw_fd_ostream stream(file, /*shouldClose=*/true);
    WriteBitcodeToFile(*module, stream);
  }
  void TearDown() override { sys::fs::remove(path); }

  /// The names of the functions that are defined, or the error.
  std::string load(ArrayRef<std::string> functions) {
    LLVMContext context;
    Expected<std::unique_ptr<Module>> module =
        library.load(path, functions, context);
    if (!module)
      return toString(module.takeError());
    std::string names = (*module)->getTargetTriple().str() + ":";
    for (Function &function : **module)
      if (!function.isDeclaration())
        names += " " + function.getName().str();
    return names;
  }

  SmallString<128> path;
  MathLibrary library;
};

TEST_F(MathLibraryTest, HasWhatIsCalled) {
  EXPECT_EQ(load({"outer"}), "nvptx64-nvidia-gpulibs: outer inner");
  EXPECT_EQ(load({"other"}), "nvptx64-nvidia-gpulibs: other");
  EXPECT_EQ(load({"outer", "other"}), load({"other", "outer"}));
  EXPECT_EQ(load({"missing", "other"}), "nvptx64-nvidia-gpulibs: other");
  EXPECT_EQ(load({}), "nvptx64-nvidia-gpulibs:");
}

TEST_F(MathLibraryTest, ReadsTheFileOnceForASet) {
  EXPECT_EQ(load({"outer"}), "nvptx64-nvidia-gpulibs: outer inner");
  sys::fs::remove(path);
  EXPECT_EQ(load({"outer"}), "nvptx64-nvidia-gpulibs: outer inner");
  EXPECT_NE(load({"other"}).find("expected bitcode in '"), std::string::npos);
}

TEST_F(MathLibraryTest, RefusesWhatIsNoBitcode) {
  std::error_code error;
  raw_fd_ostream(path, error) << "no bitcode";
  std::string message = load({"outer"});
  EXPECT_EQ(message.find("expected bitcode in '"), 0u) << message;
  // A failed load isn't kept.
  TearDown();
  SetUp();
  EXPECT_EQ(load({"outer"}), "nvptx64-nvidia-gpulibs: outer inner");
}

TEST_F(MathLibraryTest, ForManyThreads) {
  std::vector<std::thread> threads;
  std::array<std::string, 8> loaded;
  for (std::string &names : loaded)
    threads.emplace_back([&] { names = load({"outer"}); });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &names : loaded)
    EXPECT_EQ(names, "nvptx64-nvidia-gpulibs: outer inner");
}

} // namespace
