//===- ProgramPlanTest.cpp - the steps of programs ------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Simulator/Program/SimProgramPlan.h"
#include "../Launch/KernelTesting.h"

#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace carousel::sim;

namespace {

class ProgramPlanTest : public KernelTest {
protected:
  /// Plans the program of that body, whose arguments are %x, a 6 x 8 matrix of
  /// f32, %n, an index, and %f, an f32.
  std::string plan(StringRef body, uint64_t n = 3, uint64_t f = 0x40000000) {
    module = parse(("#gl = #gpu.address_space<global>\n"
                    "func.func @p(%x: memref<?x?xf32, #gl>, %n: index, %f: "
                    "f32) attributes {carousel.program} {\n" +
                    body + "\nreturn\n}\n")
                       .str());
    if (!module)
      return "doesn't parse";
    made = ProgramPlan();
    return made.make(module->lookupSymbol<func::FuncOp>("p"),
                     {makeMemRef(x, {6, 8}), makeNumber(n), makeNumber(f)},
                     [this](uint64_t bytes) {
                       sizes.push_back(bytes);
                       return buffers.data() + 4096 * (sizes.size() - 1);
                     });
  }

  int64_t getOffset(const Argument &argument) const {
    return static_cast<float *>(argument.data) - x.data();
  }

  OwningOpRef<ModuleOp> module;
  ProgramPlan made;
  std::vector<float> x = std::vector<float>(48);
  std::vector<char> buffers = std::vector<char>(16384);
  std::vector<uint64_t> sizes;
};

using Extents = SmallVector<int64_t>;

TEST_F(ProgramPlanTest, StepsHaveTheOrderOfTheProgram) {
  ASSERT_EQ(plan(R"(
    %two = arith.constant 2.0 : f32
    %g = arith.mulf %f, %two : f32
    linalg.fill ins(%g : f32) outs(%x : memref<?x?xf32, #gl>)
    %b = memref.alloc(%n) : memref<?x8xf32, #gl>
    linalg.fill ins(%f : f32) outs(%b : memref<?x8xf32, #gl>)
    memref.dealloc %b : memref<?x8xf32, #gl>
  )"),
            "");
  ArrayRef<ProgramStep> steps = made.getSteps();
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].operands[0].bits, 0x40800000u); // 4.0
  EXPECT_EQ(steps[0].operands[1].data, x.data());
  EXPECT_TRUE(steps[0].operands[1].isWritten);
  EXPECT_EQ(steps[1].operands[1].data, buffers.data());
  EXPECT_EQ(steps[1].operands[1].extents, (Extents{3, 8}));
  EXPECT_EQ(steps[1].operands[1].strides, (Extents{8, 1}));
  EXPECT_FALSE(steps[1].operands[1].isWritten);
  EXPECT_EQ(sizes, (std::vector<uint64_t>{96}));
}

TEST_F(ProgramPlanTest, NumbersFollowFromExtents) {
  ASSERT_EQ(plan(R"(
    %c1 = arith.constant 1 : index
    %w = memref.dim %x, %c1 : memref<?x?xf32, #gl>
    %less = arith.cmpi slt, %w, %n : index
    %k = arith.select %less, %w, %n : index
    %m = affine.apply affine_map<(i)[s] -> (i * 2 + s)>(%k)[%w]
    %b = memref.alloc(%m) : memref<?xf32, #gl>
    linalg.fill ins(%f : f32) outs(%b : memref<?xf32, #gl>)
  )"),
            "");
  EXPECT_EQ(made.getSteps()[0].operands[1].extents, (Extents{14}));
}

TEST_F(ProgramPlanTest, SlicesOfSlices) {
  ASSERT_EQ(plan(R"(
    %a = memref.subview %x[1, %n] [4, 5] [1, 1] : memref<?x?xf32, #gl> to memref<4x5xf32, strided<[?, 1], offset: ?>, #gl>
    %b = memref.subview %a[%n, 0] [1, 3] [1, 2] : memref<4x5xf32, strided<[?, 1], offset: ?>, #gl> to memref<3xf32, strided<[2], offset: ?>, #gl>
    linalg.fill ins(%f : f32) outs(%b : memref<3xf32, strided<[2], offset: ?>, #gl>)
  )"),
            "");
  const Argument &slice = made.getSteps()[0].operands[1];
  EXPECT_EQ(getOffset(slice), 4 * 8 + 3);
  EXPECT_EQ(slice.extents, (Extents{3}));
  EXPECT_EQ(slice.strides, (Extents{2}));
}

TEST_F(ProgramPlanTest, EmptySlicesMayBeAtTheEnd) {
  const char *slice = R"(
    %b = memref.subview %x[%n, 0] [0, 8] [1, 1] : memref<?x?xf32, #gl> to memref<0x8xf32, strided<[?, 1], offset: ?>, #gl>
  )";
  EXPECT_EQ(plan(slice, 6), "");
  EXPECT_NE(plan(slice, 7), "");
}

TEST_F(ProgramPlanTest, ReshapesKeepStrides) {
  ASSERT_EQ(plan(R"(
    %c6 = arith.constant 6 : index
    %a = memref.subview %x[0, 2] [%c6, 4] [1, 1] : memref<?x?xf32, #gl> to memref<?x4xf32, strided<[?, 1], offset: 2>, #gl>
    %b = memref.expand_shape %a [[0, 1], [2]] output_shape [%n, 2, 4] : memref<?x4xf32, strided<[?, 1], offset: 2>, #gl> into memref<?x2x4xf32, strided<[?, ?, 1], offset: 2>, #gl>
    linalg.fill ins(%f : f32) outs(%b : memref<?x2x4xf32, strided<[?, ?, 1], offset: 2>, #gl>)
    %c = memref.collapse_shape %b [[0, 1], [2]] : memref<?x2x4xf32, strided<[?, ?, 1], offset: 2>, #gl> into memref<?x4xf32, strided<[?, 1], offset: 2>, #gl>
    linalg.fill ins(%f : f32) outs(%c : memref<?x4xf32, strided<[?, 1], offset: 2>, #gl>)
  )"),
            "");
  EXPECT_EQ(made.getSteps()[0].operands[1].strides, (Extents{16, 8, 1}));
  EXPECT_EQ(made.getSteps()[1].operands[1].extents, (Extents{6, 4}));
  EXPECT_EQ(made.getSteps()[1].operands[1].strides, (Extents{8, 1}));
}

TEST_F(ProgramPlanTest, DimensionsOfOneElementCollapse) {
  ASSERT_EQ(plan(R"(
    %a = memref.subview %x[0, 0] [6, 1] [1, 1] : memref<?x?xf32, #gl> to memref<6x1xf32, strided<[?, 1]>, #gl>
    %b = memref.collapse_shape %a [[0, 1]] : memref<6x1xf32, strided<[?, 1]>, #gl> into memref<6xf32, strided<[?]>, #gl>
    linalg.fill ins(%f : f32) outs(%b : memref<6xf32, strided<[?]>, #gl>)
  )"),
            "");
  EXPECT_EQ(made.getSteps()[0].operands[1].strides, (Extents{8}));
}

TEST_F(ProgramPlanTest, ViewsOfBytes) {
  ASSERT_EQ(plan(R"(
    %arena = memref.alloc() : memref<1024xi8, #gl>
    %c256 = arith.constant 256 : index
    %a = memref.view %arena[%c256][%n] : memref<1024xi8, #gl> to memref<?x4xf32, #gl>
    linalg.fill ins(%f : f32) outs(%a : memref<?x4xf32, #gl>)
  )"),
            "");
  const Argument &view = made.getSteps()[0].operands[1];
  EXPECT_EQ(static_cast<char *>(view.data), buffers.data() + 256);
  EXPECT_EQ(view.extents, (Extents{3, 4}));
  EXPECT_EQ(view.strides, (Extents{4, 1}));
}

TEST_F(ProgramPlanTest, ChecksEndThePlan) {
  const char *check = R"(
    %c3 = arith.constant 3 : index
    %equal = arith.cmpi eq, %n, %c3 : index
    cf.assert %equal, "expected three"
    linalg.fill ins(%f : f32) outs(%x : memref<?x?xf32, #gl>)
  )";
  EXPECT_EQ(plan(check, 3), "");
  std::string error = plan(check, 4);
  EXPECT_TRUE(StringRef(error).ends_with(": expected three")) << error;
  EXPECT_TRUE(made.getSteps().empty());
}

TEST_F(ProgramPlanTest, FreesOnce) {
  std::string error = plan(R"(
    %b = memref.alloc() : memref<8xf32, #gl>
    memref.dealloc %b : memref<8xf32, #gl>
    memref.dealloc %b : memref<8xf32, #gl>
  )");
  EXPECT_TRUE(StringRef(error).contains("after its memref.dealloc")) << error;
}

TEST_F(ProgramPlanTest, HugeBuffersAreRefused) {
  const char *alloc = "%b = memref.alloc(%n) : memref<?x1048576xf32, #gl>";
  EXPECT_EQ(plan(alloc, 0), "");
  EXPECT_NE(plan(alloc, uint64_t(1) << 26), "");
  EXPECT_NE(plan(alloc, uint64_t(1) << 62), "");
}

} // namespace
