//===- BitIndexTest.cpp - indices as linear maps of bits ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Values/BitIndex.h"

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace carousel;

namespace {

constexpr llvm::StringLiteral kKernel = R"mlir(
gpu.module @m {
  gpu.func @k(%n: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c3 = arith.constant 3 : index
    %c8 = arith.constant 8 : index
    %c12 = arith.constant 12 : index
    %c64 = arith.constant 64 : index
    %thread = gpu.thread_id x
    %row = arith.divui %thread, %c8 {n = "row"} : index
    %column = arith.andi %thread, %c3 : index
    %key = arith.muli %row, %c8 : index
    %place = arith.xori %key, %c12 {n = "place"} : index
    %sum = arith.addi %place, %c64 {n = "sum"} : index
    %disjoint = arith.addi %key, %column {n = "disjoint"} : index
    %carries = arith.addi %thread, %c3 {n = "carries"} : index
    %other = arith.muli %n, %c8 {n = "other"} : index
    %odd = arith.muli %row, %c12 {n = "odd"} : index
    %rest = arith.remui %place, %c8 {n = "rest"} : index
    gpu.return
  }
}
)mlir";

class BitIndexTest : public testing::Test {
protected:
  BitIndexTest() {
    context
        .loadDialect<arith::ArithDialect, gpu::GPUDialect, CarouselDialect>();
    module = parseSourceString<ModuleOp>(kKernel, &context);
  }

  Value find(StringRef name) {
    Value found;
    module->walk([&](Operation *op) {
      if (auto attr = op->getAttrOfType<StringAttr>("n");
          attr && attr.getValue() == name)
        found = op->getResult(0);
    });
    return found;
  }

  /// The number that the index has in a thread.
  uint32_t evaluate(const BitIndex &index, uint64_t thread) {
    uint32_t number = index.constant;
    for (const BitTerm &term : indices.getTerms(index)) {
      uint64_t bits = thread & term.mask;
      number ^= term.shift < 0 ? bits >> -term.shift : bits << term.shift;
    }
    return number;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  BitIndices indices;
};

TEST_F(BitIndexTest, EvaluatesAsTheProgram) {
  std::optional<BitIndex> place = indices.get(find("place")),
                          sum = indices.get(find("sum")),
                          disjoint = indices.get(find("disjoint")),
                          rest = indices.get(find("rest"));
  ASSERT_TRUE(place && sum && disjoint && rest);
  for (uint64_t thread = 0; thread < 64; ++thread) {
    uint32_t key = thread / 8 * 8;
    EXPECT_EQ(evaluate(*place, thread), key ^ 12);
    EXPECT_EQ(evaluate(*sum, thread), (key ^ 12) + 64);
    EXPECT_EQ(evaluate(*disjoint, thread), key + (thread & 3));
    EXPECT_EQ(evaluate(*rest, thread), 4u);
  }
  EXPECT_TRUE(place->isPermuted);
  EXPECT_FALSE(disjoint->isPermuted);
}

TEST_F(BitIndexTest, SeparatesWhatIsAdded) {
  std::optional<BitIndex> sum = indices.get(find("sum"));
  ASSERT_TRUE(sum);
  // Bit 3 is the thread's, too; bits 2 and 6 are of constants alone.
  EXPECT_EQ(sum->constant & sum->getVariable(), 8u);
  EXPECT_EQ(sum->constant & ~sum->getVariable(), 68u);
}

TEST_F(BitIndexTest, RefusesCarriesAndUnknownNumbers) {
  EXPECT_FALSE(indices.get(find("other")));
  // Not followed, but numbers of few bits.
  for (StringRef name : {"carries", "odd"}) {
    std::optional<BitIndex> index = indices.get(find(name));
    ASSERT_TRUE(index) << name.str();
    SmallVector<BitTerm> terms = indices.getTerms(*index);
    ASSERT_EQ(terms.size(), 1u);
    EXPECT_EQ(terms.front().source, find(name));
    EXPECT_EQ(terms.front().shift, 0);
  }
}

TEST_F(BitIndexTest, LinearizesPlaces) {
  Value row = find("row"), disjoint = find("disjoint");
  EXPECT_FALSE(indices.linearize({row, disjoint}, {8, 48}));
  // A column of 64 fits, and one of 8 doesn't.
  EXPECT_TRUE(indices.linearize({row, disjoint}, {8, 64}));
  EXPECT_FALSE(indices.linearize({row, disjoint}, {8, 8}));
}

} // namespace
