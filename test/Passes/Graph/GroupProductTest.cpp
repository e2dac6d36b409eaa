//===- GroupProductTest.cpp - tests of GroupProduct.h ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The registers that factors need, as computed from groups, against those of
// the layouts that the block phase plans for their kernels.
//
//===----------------------------------------------------------------------===//

#include "../../../passes/Graph/Kernels/GroupProduct.h"

#include "../../../passes/Graph/Groups/GroupParts.h"

#include "carousel/Analysis/Distribution/LayoutPlan.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace carousel;

namespace {

/// A product of x as (m, k) and w, whose body extends both to its sum's type.
struct Product {
  std::string x, w, sum = "f32";
  std::string body;
  std::string before = "", arguments = "";
  std::string ofW = "(k, n)";
  bool usesTF32 = false;
};

class GroupProductTest : public ::testing::Test {
protected:
  GroupProductTest() {
    context.loadDialect<affine::AffineDialect, arith::ArithDialect,
                        CarouselDialect, func::FuncDialect, gpu::GPUDialect,
                        linalg::LinalgDialect, memref::MemRefDialect,
                        scf::SCFDialect, tensor::TensorDialect,
                        vector::VectorDialect>();
  }

  static std::string getText(const Product &product) {
    std::string sum = "tensor<?x?x" + product.sum + ">";
    return "#id = affine_map<(i, j) -> (i, j)>\n"
           "#rows = affine_map<(i, j) -> (i)>\n"
           "#all = {indexing_maps = [#id, #id], iterator_types = "
           "[\"parallel\", \"parallel\"]}\n"
           "func.func private @f(%y: " +
           sum + product.arguments + ") -> " + sum + " {\n" + product.before +
           "  %p = linalg.generic {indexing_maps = ["
           "affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> " +
           product.ofW +
           ">, affine_map<(m, n, k) -> (m, n)>], iterator_types = "
           "[\"parallel\", \"parallel\", \"reduction\"]}\n"
           "      ins(%x, %w : " +
           product.x + ", " + product.w + ") outs(%y : " + sum + ") {\n" +
           product.body + "  } -> " + sum + "\n  return %p : " + sum + "\n}";
  }

  /// A group with the body of the module's function.
  static GroupOp makeGroup(ModuleOp module) {
    auto body = *module.getOps<func::FuncOp>().begin();
    Location loc = body.getLoc();
    OpBuilder builder(body);
    auto main =
        func::FuncOp::create(builder, loc, "main", body.getFunctionType());
    builder.setInsertionPointToStart(main.addEntryBlock());
    auto group = GroupOp::create(builder, loc, body.getResultTypes(), "f",
                                 main.getArguments(), {}, {});
    group.getBody().takeBody(body.getBody());
    Operation *end = group.getBody().front().getTerminator();
    builder.setInsertionPoint(end);
    YieldOp::create(builder, loc, end->getOperands());
    end->erase();
    body.erase();
    return group;
  }

  static int64_t countOfLayouts(GroupProgram &program, ModuleOp module,
                                int64_t threads) {
    OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
    auto kernels =
        gpu::GPUModuleOp::create(builder, module.getLoc(), "kernels");
    builder.setInsertionPointToEnd(kernels.getBody());
    SmallVector<KernelOperand> operands = findOperands(program);
    FailureOr<gpu::GPUFuncOp> kernel =
        emitGroupKernel(program, operands, {}, builder, "kernel");
    EXPECT_TRUE(succeeded(kernel));
    auto launch =
        (*kernel)->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch);
    (*kernel)->setAttr(CarouselDialect::kLaunch,
                       LaunchAttr::get(module.getContext(), launch.getGrid(),
                                       threads, {}, {}));
    int64_t registers = LayoutPlan::compute(*kernel).getMostRegisters();
    kernels.erase();
    return registers;
  }

  /// For the planned tile, and for shorter ones. Sums and what is read beside
  /// them need at most 32 registers, which don't count.
  std::string compare(const Product &product) {
    auto module = parseSourceString<ModuleOp>(getText(product), &context);
    EXPECT_TRUE(module);
    FailureOr<GroupProgram> read =
        readGroup(makeGroup(*module), product.usesTF32);
    EXPECT_TRUE(succeeded(read));
    GroupProgram &program = *read;
    program.schedule =
        scheduleGroup(program.graph.problem, program.group, program.shape);
    std::string numbers;
    auto depth = llvm::find_if(program.schedule.dims,
                               [](const auto &dim) { return dim.isReduced; });
    for (; depth->tile >= 16; depth->tile /= 2) {
      FactorDemand demand = findFactorDemand(program);
      int64_t registers = demand.registers;
      int64_t ofLayouts = countOfLayouts(program, *module, demand.threads);
      constexpr int64_t kOfSums = 32;
      EXPECT_EQ(std::max(registers, kOfSums), std::max(ofLayouts, kOfSums))
          << getText(product) << "\nk: " << depth->tile;
      numbers += std::to_string(registers) + " ";
    }
    return numbers;
  }

  MLIRContext context;
};

const char *const kF32 = "^bb0(%a: f32, %b: f32, %o: f32):\n"
                         "  %m = arith.mulf %a, %b : f32\n"
                         "  %s = arith.addf %o, %m : f32\n"
                         "  linalg.yield %s : f32\n";
const char *const kHalf = "^bb0(%a: bf16, %b: bf16, %o: f32):\n"
                          "  %c = arith.extf %a : bf16 to f32\n"
                          "  %d = arith.extf %b : bf16 to f32\n"
                          "  %m = arith.mulf %c, %d : f32\n"
                          "  %s = arith.addf %o, %m : f32\n"
                          "  linalg.yield %s : f32\n";
const char *const kBytes = "^bb0(%a: i8, %b: i8, %o: i32):\n"
                           "  %c = arith.extsi %a : i8 to i32\n"
                           "  %d = arith.extsi %b : i8 to i32\n"
                           "  %m = arith.muli %c, %d : i32\n"
                           "  %s = arith.addi %o, %m : i32\n"
                           "  linalg.yield %s : i32\n";

/// Computes `result` from `source`, both of these types.
std::string compute(const std::string &result, const std::string &source,
                    const std::string &from, const std::string &to,
                    const std::string &body) {
  std::string type = "tensor<64x64x" + to + ">";
  return "  %e" + result + " = tensor.empty() : " + type + "\n  %" + result +
         " = linalg.generic #all ins(%" + source + " : tensor<64x64x" + from +
         ">) outs(%e" + result + " : " + type + ") {\n^bb0(%i: " + from +
         ", %o: " + to + "):\n" + body + "  linalg.yield %r : " + to +
         "\n  } -> " + type + "\n";
}

TEST_F(GroupProductTest, TilesOfRings) {
  std::string arguments = ", %x: tensor<?x?xf32>, %w: tensor<?x?xf32>";
  EXPECT_EQ(compare({"tensor<?x?xf32>", "tensor<?x?xf32>", "f32", kF32, "",
                     arguments}),
            "0 0 ");
  // One iteration has a ring, too.
  EXPECT_EQ(compare({"tensor<64x32xf32>", "tensor<32x64xf32>", "f32", kF32, "",
                     ", %x: tensor<64x32xf32>, %w: tensor<32x64xf32>"}),
            "0 0 ");
}

TEST_F(GroupProductTest, FactorsThatThreadsExtend) {
  std::string body = "^bb0(%a: f32, %b: i8, %o: f32):\n"
                     "  %c = arith.sitofp %b : i8 to f32\n"
                     "  %m = arith.mulf %a, %c : f32\n"
                     "  %s = arith.addf %o, %m : f32\n"
                     "  linalg.yield %s : f32\n";
  // Beyond 48 KiB, no factor is in a ring.
  EXPECT_EQ(compare({"tensor<?x?xf32>", "tensor<?x?xi8>", "f32", body, "",
                     ", %x: tensor<?x?xf32>, %w: tensor<?x?xi8>"}),
            "1024 256 128 64 ");
}

TEST_F(GroupProductTest, FactorsThatTheGroupComputes) {
  std::string negate = "  %r = arith.negf %i : f32\n";
  std::string both = compute("x", "g", "f32", "f32", negate) +
                     compute("w", "h", "f32", "f32", negate);
  std::string type = "tensor<64x64xf32>";
  Product product = {type, type, "f32",
                     kF32, both, ", %g: " + type + ", %h: " + type};
  EXPECT_EQ(compare(product), "256 128 ");
  // Fragments of matrix instructions are shorter.
  product.usesTF32 = true;
  EXPECT_EQ(compare(product), "24 12 ");
}

TEST_F(GroupProductTest, WiderElementsOnTheWay) {
  std::string wide = "  %u = arith.extf %i : bf16 to f64\n"
                     "  %v = arith.negf %u : f64\n"
                     "  %r = arith.truncf %v : f64 to bf16\n";
  std::string type = "tensor<64x64xbf16>";
  EXPECT_EQ(compare({type, type, "f32", kHalf,
                     compute("x", "g", "bf16", "bf16", wide),
                     ", %g: " + type + ", %w: " + type, "(n, k)"}),
            "64 32 16 ");
  // Numbers of coordinates are wide, too, but need no registers.
  std::string masked = "  %j = linalg.index 0 : index\n"
                       "  %k = linalg.index 1 : index\n"
                       "  %u = arith.cmpi sge, %j, %k : index\n"
                       "  %r = arith.select %u, %i, %i : f32\n";
  type = "tensor<64x64xf32>";
  EXPECT_EQ(
      compare({type, type, "f32", kF32, compute("x", "g", "f32", "f32", masked),
               ", %g: " + type + ", %w: " + type}),
      "128 64 ");
}

TEST_F(GroupProductTest, Gathers) {
  auto gather = [&](const std::string &number) {
    return compare(
        {"tensor<64x64xi8>", "tensor<64x64xi8>", "i32", kBytes,
         "  %ex = tensor.empty() : tensor<64x64xi8>\n"
         "  %x = linalg.generic {indexing_maps = [#rows, #id], iterator_types "
         "= [\"parallel\", \"parallel\"]} ins(%at : tensor<64xi32>) "
         "outs(%ex : tensor<64x64xi8>) {\n^bb0(%i: i32, %o: i8):\n" +
             number +
             "  %j = arith.index_cast %n : i32 to index\n"
             "  %k = linalg.index 1 : index\n"
             "  %r = tensor.extract %g[%j, %k] : tensor<99x64xi8>\n"
             "  linalg.yield %r : i8\n  } -> tensor<64x64xi8>\n",
         ", %at: tensor<64xi32>, %g: tensor<99x64xi8>, "
         "%w: tensor<64x64xi8>"});
  };
  // Rows by numbers that threads have as vectors of 64 bits.
  EXPECT_EQ(gather("  %n = arith.addi %i, %i : i32\n"), "64 32 128 ");
}

TEST_F(GroupProductTest, RowsOfATable) {
  // A ring has tiles of them. One iteration has no ring.
  std::string rows =
      "  %ex = tensor.empty() : tensor<64x64xi8>\n"
      "  %x = linalg.generic {indexing_maps = [#rows, #id], iterator_types = "
      "[\"parallel\", \"parallel\"]} ins(%at : tensor<64xi32>) outs(%ex : "
      "tensor<64x64xi8>) {\n^bb0(%i: i32, %o: i8):\n"
      "  %j = arith.index_cast %i : i32 to index\n"
      "  %k = linalg.index 1 : index\n"
      "  %r = tensor.extract %g[%j, %k] : tensor<99x64xi8>\n"
      "  linalg.yield %r : i8\n  } -> tensor<64x64xi8>\n";
  EXPECT_EQ(
      compare({"tensor<64x64xi8>", "tensor<64x64xi8>", "i32", kBytes, rows,
               ", %at: tensor<64xi32>, %g: tensor<99x64xi8>, "
               "%w: tensor<64x64xi8>"}),
      "0 0 0 ");
}

} // namespace
