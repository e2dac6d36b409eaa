//===- ChipModelTest.cpp - the models of GPUs -----------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Target/ChipModel.h"

#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace carousel;

namespace {

class ChipModelTest : public ::testing::Test {
protected:
  ChipModelTest() {
    context.loadDialect<DLTIDialect, gpu::GPUDialect, NVVM::NVVMDialect,
                        func::FuncDialect>();
  }

  /// The model of a gpu.module for `chip` below a module with `devices`; of a
  /// function where `chip` is empty. Errors go to `error`.
  FailureOr<ChipModel> read(const std::string &devices,
                            const std::string &chip) {
    std::string spec = "dlti.target_system_spec = "
                       "#dlti.target_system_spec<" +
                       devices + ">";
    std::string body = chip.empty() ? "func.func private @f()"
                                    : "gpu.module @k [#nvvm.target<chip = \"" +
                                          chip + "\">] {}";
    source = parseSourceString<ModuleOp>(
        "module attributes {" + spec + "} { " + body + " }", &context);
    EXPECT_TRUE(source);
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      error = diagnostic.str();
      return success();
    });
    return getChipModel(&source->getBody()->front());
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> source;
  std::string error;
};

TEST_F(ChipModelTest, EveryChipHasAModelWithAllNumbers) {
  for (const TargetInfo &info : TargetInfo::all()) {
    ChipModel model = ChipModel::of(info);
    EXPECT_EQ(ChipModel::findSM(model.gpu), info.sm);
    EXPECT_EQ(model.sharedPerSM, info.sharedPerSM);
    // An SM alone has more than its share, and not all.
    EXPECT_GT(model.bytesPerNsOfSM * double(model.sms), model.bytesPerNs);
    EXPECT_LT(model.bytesPerNsOfSM, model.bytesPerNs);
    EXPECT_GT(model.libraryHalf, model.libraryTF32);
  }
  std::string table;
  llvm::raw_string_ostream os(table);
  ChipModel::printTable(os);
  EXPECT_EQ(StringRef(table).count(" 0 "), 0u) << table;
  auto page = llvm::MemoryBuffer::getFile(CAROUSEL_DOCS_DIR "/ChipModel.md");
  ASSERT_TRUE(page);
  EXPECT_TRUE((*page)->getBuffer().contains(table))
      << "expected docs/ChipModel.md to have this table:\n"
      << table;
}

TEST_F(ChipModelTest, TheNearestSpecNamesTheGPU) {
  std::string both = R"("old" = #dlti.target_device_spec<"gpu" = "a100">,
                        "new" = #dlti.target_device_spec<"gpu" = "h100">)";
  EXPECT_EQ(read(both, "sm_90a")->gpu, "h100");
  EXPECT_EQ(read(both, "sm_80")->gpu, "a100");
  EXPECT_EQ(read(both, "sm_100a")->gpu, "b200");
  // A graph is planned for the first one.
  EXPECT_EQ(read(both, "")->gpu, "a100");
  // Devices that aren't ours.
  EXPECT_EQ(
      read(R"("CPU" = #dlti.target_device_spec<"l1" = 4096 : i32>)", "")->gpu,
      "h200");
}

TEST_F(ChipModelTest, SpecsReplaceNumbers) {
  FailureOr<ChipModel> model = read(R"("half" = #dlti.target_device_spec<
               "gpu" = "h200", "sms" = 66 : i64, "bytes-per-ns" = 8428.0 : f64,
               "shared-per-sm" = 116736 : i64, "barrier-ns" = 20 : i64>)",
                                    "sm_90a");
  ASSERT_TRUE(succeeded(model));
  EXPECT_EQ(model->sms, 66);
  EXPECT_EQ(model->bytesPerNs, 8428.0);
  EXPECT_EQ(model->sharedPerSM, 116736);
  EXPECT_EQ(model->barrier, 20.0);
  EXPECT_EQ(model->clockGHz, ChipModel::getDefault().clockGHz);
}

TEST_F(ChipModelTest, WrongSpecsAreErrors) {
  auto number = [](const std::string &entry) {
    return R"("x" = #dlti.target_device_spec<"gpu" = "h200", )" + entry + ">";
  };
  EXPECT_TRUE(failed(read(number(R"("smms" = 66 : i64)"), "sm_90a")));
  EXPECT_EQ(error, "expected numbers of a chip model, got \"smms\"");
  EXPECT_TRUE(failed(read(number(R"("sms" = 0 : i64)"), "sm_90a")));
  EXPECT_EQ(error, "expected an integer above 0 for \"sms\", got 0 : i64");
  EXPECT_TRUE(failed(read(number(R"("sms" = 1.5 : f64)"), "")));
  EXPECT_TRUE(failed(read(number(R"("barrier-ns" = "x")"), "sm_90a")));
  EXPECT_EQ(error, "expected a number above 0 for \"barrier-ns\", got \"x\"");
  EXPECT_TRUE(
      failed(read(R"("x" = #dlti.target_device_spec<"gpu" = "v100">)", "")));
  EXPECT_EQ(error, "expected a GPU among a100, a40, l40s, h200, h100, b200, "
                   "rtx_pro_6000, got 'v100'");
}

TEST_F(ChipModelTest, AttachedGPUsReplaceOnlyGPUs) {
  ASSERT_TRUE(
      succeeded(read(R"("CPU" = #dlti.target_device_spec<"l1" = 4096 : i32>,
              "x" = #dlti.target_device_spec<"gpu" = "h200">)",
                     "sm_90a")));
  attachGPUs(*source, {"h100", "a100"});
  EXPECT_EQ(getChipModel(&source->getBody()->front())->gpu, "h100");
  std::string text;
  llvm::raw_string_ostream os(text);
  source->print(os);
  EXPECT_NE(text.find("\"CPU\""), std::string::npos) << text;
  EXPECT_EQ(text.find("\"x\""), std::string::npos) << text;
}

} // namespace
