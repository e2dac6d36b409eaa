//===- ConvergentCallsTest.cpp - copies of instructions for warps ---------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Target/PTX/LLVMPasses.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "gtest/gtest.h"

using namespace carousel;

namespace {

class ConvergentCallsTest : public ::testing::Test {
protected:
  /// SYNC is a wait for products, and COPY one of the same number.
  std::unique_ptr<llvm::Module> parse(std::string text) {
    const std::string wait =
        "call void asm sideeffect \"wgmma.wait_group.sync.aligned 0;\", \"\"()";
    for (auto [name, code] : {std::pair("SYNC", wait),
                              {"COPY", wait + ", !carousel.convergent !0"}})
      for (size_t at; (at = text.find(name)) != std::string::npos;)
        text.replace(at, 4, code);
    llvm::SMDiagnostic error;
    auto module =
        llvm::parseAssemblyString(text + "\n!0 = !{i32 0}", error, context);
    EXPECT_TRUE(module) << error.getMessage().str();
    return module;
  }
  bool isFound(const std::string &body) {
    return findDivergentCopies(
               *parse("define void @k(i1 %p, i1 %q) {\n" + body + "}"))
        .has_value();
  }

  llvm::LLVMContext context;
};

TEST_F(ConvergentCallsTest, CopiesInBranches) {
  const char *diamond = R"(entry: br i1 %p, label %a, label %b
    a: COPY  br label %end
    b: COPY  br label %end
    end: ret void )";
  EXPECT_TRUE(isFound(diamond));
  auto found = findDivergentCopies(
      *parse("define void @k(i1 %p) { " + std::string(diamond) + "}"));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->function, "k");
  EXPECT_EQ(found->instruction, "wgmma.wait_group.sync.aligned 0;");
  // The next iteration is no way from one to the other.
  EXPECT_TRUE(isFound(R"(br label %head
    head: br i1 %p, label %a, label %b
    a: COPY  br label %latch
    b: COPY  br label %latch
    latch: br i1 %q, label %head, label %end
    end: ret void )"));
}

TEST_F(ConvergentCallsTest, CopiesInARow) {
  EXPECT_FALSE(isFound("COPY\n COPY\n ret void "));
  // Two iterations of a loop with a condition, and the rest of them.
  EXPECT_FALSE(isFound(R"(br i1 %p, label %a, label %first
    a: COPY  br label %first
    first: br i1 %q, label %b, label %loop
    b: COPY  br label %loop
    loop: br i1 %p, label %c, label %latch
    c: COPY  br label %latch
    latch: br i1 %q, label %loop, label %end
    end: ret void )"));
  // Two calls that differ aren't one.
  EXPECT_FALSE(isFound(R"(br i1 %p, label %a, label %b
    a: COPY  br label %end
    b: SYNC  br label %end
    end: ret void )"));
}

TEST_F(ConvergentCallsTest, MarksAssembly) {
  auto module = parse(R"(
    define void @twice() { SYNC  ret void }
    define void @k() {
      SYNC
      call void asm sideeffect "membar.gl;", ""()
      call void @twice()
      call void @twice()
      call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
      ret void }
    declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) #0
    attributes #0 = { convergent })");
  markConvergentCalls(*module);
  std::string kernel, callee;
  for (llvm::Function &function : *module)
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction)) {
        std::string &marks = function.getName() == "k" ? kernel : callee;
        marks += call->hasMetadata("carousel.convergent") ? "numbered "
                 : call->isConvergent()                   ? "convergent "
                                                          : "free ";
      }
  EXPECT_EQ(kernel, "numbered free free free numbered ");
  // It may be inlined in both branches.
  EXPECT_EQ(callee, "convergent ");
}

TEST_F(ConvergentCallsTest, CountsForms) {
  auto module = parse("define void @k() { SYNC\n SYNC\n ret void }");
  EXPECT_EQ(countAlignedForms(*module), 4u);
  EXPECT_EQ(countAlignedForms("bar.sync 0;\n// begin inline asm\n"
                              "wgmma.fence.sync.aligned;\n// end inline asm\n"
                              "bar.sync 1;\n// begin inline asm\nmembar.gl;\n"
                              "// end inline asm\n"),
            2u);
}

} // namespace
