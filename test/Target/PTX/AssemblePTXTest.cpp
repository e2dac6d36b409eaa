//===- AssemblePTXTest.cpp - cubins ---------------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Target/AssemblePTX.h"

#include "gtest/gtest.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

using namespace carousel;

namespace {

constexpr llvm::StringLiteral kEmptyKernel =
    ".version 8.0\n.target sm_90a\n.address_size 64\n"
    ".visible .entry k() { ret; }\n";

std::string getError(llvm::Expected<std::string> result) {
  EXPECT_FALSE(static_cast<bool>(result));
  return result ? "" : llvm::toString(result.takeError());
}

TEST(AssemblePTXTest, MissingAssemblerIsAnError) {
  AssembleOptions options = {Assembler::Program, "/does/not/exist"};
  EXPECT_EQ(getError(findAssembler(options)),
            "no ptxas at '/does/not/exist/bin/ptxas'");
  EXPECT_EQ(getError(assemblePTX(kEmptyKernel, "sm_90a", options)),
            "no ptxas at '/does/not/exist/bin/ptxas'");
}

TEST(AssemblePTXTest, TheLibraryIsTakenWhereItIs) {
  llvm::Expected<std::string> library = findAssembler({Assembler::Library, ""});
  llvm::Expected<std::string> found =
      findAssembler({Assembler::Auto, "/does/not/exist"});
  if (library) {
    EXPECT_TRUE(llvm::StringRef(*library).starts_with("nvPTXCompiler "));
    ASSERT_TRUE(static_cast<bool>(found)) << llvm::toString(found.takeError());
    EXPECT_EQ(*found, *library);
    return;
  }
  std::string error = llvm::toString(library.takeError());
  EXPECT_EQ(getError(std::move(found)),
            "no ptxas at '/does/not/exist/bin/ptxas'");
  EXPECT_EQ(getError(assemblePTX(kEmptyKernel, "sm_90a", {Assembler::Library})),
            error);
}

/// A directory with a program ptxas of a release, whose cubin is "program", or
/// which does something else.
std::string makeProgram(llvm::StringRef name, llvm::StringRef release,
                        llvm::StringRef work = "printf program > $2") {
  std::string root = ::testing::TempDir() + "ptxas-" + name.str();
  std::filesystem::create_directories(root + "/bin");
  std::string program = root + "/bin/ptxas";
  std::ofstream(program) << "#!/bin/sh\n"
                            "[ $1 = --version ] && echo 'release "
                         << release.str()
                         << ", V' && exit\n"
                            "while [ $1 != -o ]; do shift; done\n"
                         << work.str() << "\n";
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  return root;
}

/// Kernels of which the comment lets each seem to have a product.
std::string makeProducts(int count) {
  std::string text = ".version 8.0\n.target sm_90a\n.address_size 64\n"
                     "// wgmma.mma_async\n";
  for (int i = 0; i < count; ++i)
    text += ".visible .entry k" + std::to_string(i) + "() { ret; }\n";
  return text;
}

TEST(AssemblePTXTest, TheProgramIsTakenWhereItIsFaster) {
  llvm::Expected<std::string> library = findAssembler({Assembler::Library, ""});
  if (!library)
    GTEST_SKIP() << llvm::toString(library.takeError());
  std::string release = llvm::StringRef(*library).rsplit(' ').second.str();
  std::string same = makeProgram("same", release);
  std::string other = makeProgram("other", release + "1");
  auto isByProgram = [&](const std::string &ptx, AssembleOptions options) {
    llvm::Expected<std::string> cubin = assemblePTX(ptx, "sm_90a", options);
    EXPECT_TRUE(static_cast<bool>(cubin)) << llvm::toString(cubin.takeError());
    return cubin && *cubin == "program";
  };
  std::string many = makeProducts(8);
  EXPECT_TRUE(isByProgram(many, {Assembler::Auto, same}));
  EXPECT_FALSE(isByProgram(many, {Assembler::Library, same}));
  EXPECT_FALSE(isByProgram(many, {Assembler::Auto, other}));
  EXPECT_FALSE(isByProgram(many, {Assembler::Auto, "/does/not/exist"}));
  EXPECT_FALSE(isByProgram(makeProducts(1), {Assembler::Auto, same}));
  EXPECT_FALSE(isByProgram(kEmptyKernel.str(), {Assembler::Auto, same}));
}

// As one may be that lacks memory.
TEST(AssemblePTXTest, TheLibraryFollowsAKilledProgram) {
  llvm::Expected<std::string> library = findAssembler({Assembler::Library, ""});
  if (!library)
    GTEST_SKIP() << llvm::toString(library.takeError());
  std::string killed =
      makeProgram("killed", llvm::StringRef(*library).rsplit(' ').second,
                  "echo 'too much' >&2; kill -9 $$");
  llvm::Expected<std::string> cubin =
      assemblePTX(makeProducts(8), "sm_90a", {Assembler::Auto, killed});
  ASSERT_TRUE(static_cast<bool>(cubin)) << llvm::toString(cubin.takeError());
  EXPECT_TRUE(llvm::StringRef(*cubin).starts_with("\x7f"
                                                  "ELF"));
  std::string error = getError(
      assemblePTX(makeProducts(8), "sm_90a", {Assembler::Program, killed}));
  EXPECT_TRUE(llvm::StringRef(error).contains("too much")) << error;
}

class WithAssembler : public ::testing::TestWithParam<Assembler> {
protected:
  void SetUp() override {
    llvm::Expected<std::string> found = findAssembler(options);
    if (!found)
      GTEST_SKIP() << llvm::toString(found.takeError());
  }

  AssembleOptions options = {GetParam(), CAROUSEL_CUDA_ROOT};
};

TEST_P(WithAssembler, GivesACubin) {
  llvm::Expected<std::string> cubin =
      assemblePTX(kEmptyKernel, "sm_90a", options);
  ASSERT_TRUE(static_cast<bool>(cubin)) << llvm::toString(cubin.takeError());
  EXPECT_TRUE(llvm::StringRef(*cubin).starts_with("\x7f"
                                                  "ELF"));
  llvm::Expected<std::string> again =
      assemblePTX(kEmptyKernel, "sm_90a", options);
  ASSERT_TRUE(static_cast<bool>(again)) << llvm::toString(again.takeError());
  EXPECT_EQ(*again, *cubin);
}

// A thread that needs 16 registers at once, and gets fewer.
TEST_P(WithAssembler, ReportsSpills) {
  std::string ptx = ".version 8.0\n.target sm_90a\n.address_size 64\n"
                    ".visible .entry k(.param .u64 p) .maxnreg 24 {\n"
                    ".reg .u64 %a; .reg .u32 %r<64>;\n"
                    "ld.param.u64 %a, [p];\n";
  for (int i = 0; i < 64; ++i)
    ptx += "ld.volatile.global.u32 %r" + std::to_string(i) + ", [%a+" +
           std::to_string(4 * i) + "];\n";
  for (int i = 0; i < 64; ++i)
    ptx += "st.volatile.global.u32 [%a+" + std::to_string(4 * i) + "], %r" +
           std::to_string(63 - i) + ";\n";
  ptx += "ret; }\n.visible .entry other() { ret; }\n";
  std::string report;
  llvm::Expected<std::string> cubin =
      assemblePTX(ptx, "sm_90a", options, &report);
  ASSERT_TRUE(static_cast<bool>(cubin)) << llvm::toString(cubin.takeError());
  llvm::StringMap<int64_t> spills = readSpills(report);
  EXPECT_EQ(spills.size(), 1u) << report;
  EXPECT_GE(spills.lookup("k"), 100) << report;
}

TEST_P(WithAssembler, ReadsNoFurtherThanTheText) {
  std::string more = kEmptyKernel.str() + "nonsense";
  llvm::StringRef text(more);
  llvm::Expected<std::string> cubin =
      assemblePTX(text.drop_back(8), "sm_90a", options);
  EXPECT_TRUE(static_cast<bool>(cubin)) << llvm::toString(cubin.takeError());
}

TEST_P(WithAssembler, PassesTheAssemblersMessageOn) {
  std::string name =
      GetParam() == Assembler::Library ? "nvPTXCompiler" : "ptxas";
  std::string error = getError(assemblePTX("nonsense", "sm_90a", options));
  EXPECT_NE(error.find(name + " failed for sm_90a: "), std::string::npos)
      << error;
  EXPECT_NE(error.find("Missing .version"), std::string::npos) << error;
  error = getError(assemblePTX(kEmptyKernel, "sm_80", options));
  EXPECT_NE(error.find(name + " failed for sm_80: "), std::string::npos)
      << error;
  EXPECT_NE(error.find("higher than"), std::string::npos) << error;
  error = getError(assemblePTX(kEmptyKernel, "sm_1", options));
  EXPECT_NE(error.find("sm_1"), std::string::npos) << error;
  EXPECT_GT(error.size(), (name + " failed for sm_1: ").size()) << error;
}

TEST_P(WithAssembler, ServesThreadsAtOnce) {
  constexpr int kThreads = 4;
  std::string cubins[kThreads];
  std::vector<std::thread> threads;
  for (std::string &cubin : cubins)
    threads.emplace_back([&] {
      for (int i = 0; i < 4; ++i) {
        llvm::Expected<std::string> made =
            assemblePTX(kEmptyKernel, "sm_90a", options);
        cubin = made ? *made : llvm::toString(made.takeError());
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &cubin : cubins) {
    EXPECT_TRUE(llvm::StringRef(cubin).starts_with("\x7f"
                                                   "ELF"))
        << cubin;
    EXPECT_EQ(cubin, cubins[0]);
  }
}

INSTANTIATE_TEST_SUITE_P(All, WithAssembler,
                         ::testing::Values(Assembler::Library,
                                           Assembler::Program),
                         [](const auto &info) {
                           return info.param == Assembler::Library ? "Library"
                                                                   : "Program";
                         });

} // namespace
