//===- PTXFormsTest.cpp - each form, translated or refused ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An instruction of each row of the reader's table becomes valid code of the
// LLVM dialect, or is an error at its line. Which instructions are errors is
// pinned here and stated in docs/PTXMachine.md.
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Simulator/Launch/LaunchArguments.h"
#include "../../../lib/Simulator/PTX/PTXTranslation.h"
#include "../../PTX/FormInstances.h"
#include "PTXTesting.h"

#include "carousel/PTX/Parser.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Verifier.h"

#include <set>

using namespace carousel;
using namespace carousel::sim;

namespace {

using PTXFormsTest = KernelTest;

/// Beginnings of the names of instructions that the machine refuses, in some
/// form or in all. Of `cvt`, `set` and `setp` these are combinations of types
/// and modifiers that have no meaning.
constexpr const char *kRefused[] = {"alloca",
                                    "call",
                                    "clusterlaunchcontrol",
                                    "cp.async.bulk",
                                    "cvt",
                                    "discard",
                                    "istypep",
                                    "ldmatrix",
                                    "mma",
                                    "multimem.cp",
                                    "multimem.ld_reduce",
                                    "redux",
                                    "set",
                                    "setp",
                                    "shfl",
                                    "st.bulk",
                                    "stack",
                                    "stmatrix",
                                    "suld",
                                    "suq",
                                    "sured",
                                    "sust",
                                    "tcgen05",
                                    "tex",
                                    "tld4",
                                    "txq",
                                    "vote",
                                    "wgmma.mma_async",
                                    "wmma"};

bool mayBeRefused(llvm::StringRef text) {
  return llvm::any_of(kRefused,
                      [&](const char *name) { return text.starts_with(name); });
}

TEST_F(PTXFormsTest, AreTranslatedOrRefused) {
  context.loadDialect<mlir::LLVM::LLVMDialect>();
  unsigned translated = 0, refused = 0;
  std::set<std::string> names;
  for (const ptx::InstructionForm &form : ptx::getAllForms())
    for (bool withOptional : {false, true}) {
      std::string text = ptx::makeInstance(form, withOptional);
      ptx::Diagnostic error;
      auto module = ptx::parse(ptx::makeModule(text), error);
      ASSERT_TRUE(module) << text;
      messages.clear();
      SiteTable sites;
      auto kernel = translatePTX({*module, "k.ptx"}, "k", {}, std::nullopt,
                                 context, sites);
      if (mlir::failed(kernel)) {
        ++refused;
        EXPECT_FALSE(messages.empty()) << text;
        EXPECT_TRUE(mayBeRefused(ptx::stringify(form.opcode))) << text << "\n"
                                                               << messages;
        names.insert(ptx::stringify(form.opcode).str());
        continue;
      }
      ++translated;
      EXPECT_TRUE(mlir::succeeded(mlir::verify(*kernel->module))) << text;
    }
  for (const char *name : kRefused)
    EXPECT_TRUE(llvm::any_of(names,
                             [&](const std::string &known) {
                               return llvm::StringRef(known).starts_with(name);
                             }))
        << name << " isn't refused";
  EXPECT_GT(translated, 750u) << "and refused " << refused;
  RecordProperty("translated", int(translated));
  RecordProperty("refused", int(refused));
}

} // namespace
