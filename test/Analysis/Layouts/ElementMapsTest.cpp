//===- ElementMapsTest.cpp - tests of ElementMaps.h -----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Maps over bits are compared with the affine maps that they are of, and
// layouts with what they promise: sources are in registers of the thread that
// has the result.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Layouts/ElementMaps.h"
#include "carousel/Analysis/Layouts/AnchorLayouts.h"
#include "carousel/Analysis/Layouts/LayoutRules.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace carousel;
using namespace mlir;

namespace {

/// Sources of one operand, with the extents of the result and of the operand.
struct Case {
  const char *maps;
  llvm::SmallVector<unsigned> result, operand;
  /// Whether elements have one source in common.
  bool isRepeated = false;
};

const Case kCases[] = {
    // The same element, another order, dimensions fewer and of one element.
    {"(i, j) -> (i, j)", {3, 9}, {3, 9}},
    {"(i, j) -> (j, i)", {3, 9}, {9, 3}},
    {"(i, j) -> (i)", {3, 9}, {3}, true},
    {"(i, j) -> (0, j)", {3, 9}, {0, 9}, true},
    // Shapes.
    {"(i, j) -> (i * 512 + j)", {3, 9}, {12}},
    {"(i) -> (i floordiv 16, i mod 16)", {12}, {8, 4}},
    {"(i, j) -> (i floordiv 2, (i mod 2) * 512 + j)", {3, 9}, {2, 10}},
    // Parts, and pairs.
    {"(i, j) -> (i, j + 512)", {3, 9}, {3, 11}},
    {"(i, j) -> (i, j * 2); (i, j) -> (i, j * 2 + 1)", {3, 9}, {3, 10}},
    {"(i, j) -> (i, j); (i, j) -> (i, j + 512)", {3, 9}, {3, 10}},
    // In the other order, also of rows and columns together.
    {"(i, j) -> (i, 511 - j)", {3, 9}, {3, 9}},
    {"(i, j) -> (7 - i, 511 - j); (i, j) -> (i, j)", {3, 9}, {3, 9}},
    {"(i, j) -> (7 - i, 1022 - j * 2); (i, j) -> (7 - i, 1023 - j * 2)",
     {3, 9},
     {3, 10}},
    {"(i, j) -> (-i, 1023 - j)", {0, 9}, {0, 10}},
};

class ElementMapsTest : public ::testing::Test {
protected:
  std::vector<AffineMap> parse(llvm::StringRef text) {
    std::vector<AffineMap> maps;
    llvm::SmallVector<llvm::StringRef> parts;
    text.split(parts, ';');
    for (llvm::StringRef part : parts) {
      std::string attr = ("affine_map<" + part.trim() + ">").str();
      maps.push_back(
          cast<AffineMapAttr>(parseAttribute(attr, &context)).getValue());
    }
    return maps;
  }
  llvm::SmallVector<ElementMap, 2> read(const Case &of) {
    llvm::SmallVector<ElementMap, 2> maps;
    for (AffineMap map : parse(of.maps))
      maps.push_back(*ElementMap::of(map, of.result, of.operand));
    return maps;
  }
  bool isLinear(llvm::StringRef map, llvm::ArrayRef<unsigned> from,
                llvm::ArrayRef<unsigned> to) {
    return ElementMap::of(parse(map).front(), from, to).has_value();
  }

  MLIRContext context;
};

template <typename Visit>
void forEachElement(llvm::ArrayRef<unsigned> extentBits, Visit visit) {
  unsigned bits = 0;
  for (unsigned own : extentBits)
    bits += own;
  for (uint32_t number = 0; number < 1u << bits; ++number) {
    llvm::SmallVector<uint32_t> at;
    uint32_t rest = number;
    for (unsigned own : extentBits) {
      at.push_back(rest & ((1u << own) - 1));
      rest >>= own;
    }
    visit(at);
  }
}

/// Rows in warps, and runs of a thread.
LinearLayout makeLayout(llvm::ArrayRef<unsigned> extentBits, unsigned run) {
  return makeRowLayout(extentBits, run, {5, 2});
}

TEST_F(ElementMapsTest, BitsSayWhatTheMapSays) {
  for (const Case &of : kCases)
    for (AffineMap affine : parse(of.maps)) {
      std::optional<ElementMap> map =
          ElementMap::of(affine, of.result, of.operand);
      ASSERT_TRUE(map) << of.maps;
      forEachElement(of.result, [&](llvm::ArrayRef<uint32_t> at) {
        llvm::SmallVector<int64_t> expected =
            affine.compose(llvm::SmallVector<int64_t>(at.begin(), at.end()));
        llvm::SmallVector<uint32_t> own = map->apply(at);
        EXPECT_TRUE(llvm::equal(own, expected)) << of.maps;
      });
    }
}

TEST_F(ElementMapsTest, OtherMapsAreNone) {
  EXPECT_FALSE(isLinear("(i) -> (i * 3)", {4}, {6}));
  EXPECT_FALSE(isLinear("(i) -> (i + 1)", {4}, {5}));
  EXPECT_FALSE(isLinear("(i, j) -> (i + j)", {4, 4}, {5}));
  EXPECT_FALSE(isLinear("(i) -> (i floordiv 3)", {4}, {3}));
  EXPECT_FALSE(isLinear("(i) -> (i mod 3)", {4}, {2}));
  // A number that lacks a bit of what is taken from it.
  EXPECT_FALSE(isLinear("(i) -> (7 - i)", {4}, {4}));
  EXPECT_FALSE(isLinear("(i) -> (26 - i)", {4}, {5}));
  // Beyond the operand.
  EXPECT_FALSE(isLinear("(i) -> (i * 2)", {4}, {4}));
  EXPECT_FALSE(isLinear("(i) -> (i * 2147483648)", {4}, {30}));
}

TEST_F(ElementMapsTest, SourcesAreInTheSameThread) {
  for (const Case &of : kCases)
    for (unsigned run : {0u, 2u}) {
      LinearLayout result = makeLayout(of.result, run);
      llvm::SmallVector<ElementMap, 2> maps = read(of);
      LinearLayout source = getSourceLayout(maps, result, of.operand);
      EXPECT_TRUE(withAllElements(source).isSurjective()) << of.maps;
      for (uint32_t lane = 0; lane < 32; ++lane)
        for (uint32_t reg = 0; reg < 1u << result.getNumBits(Place::Register);
             ++reg)
          for (const ElementMap &map : maps) {
            auto own = source.findRegister(
                map.apply(result.apply(PlaceNumbers{reg, 0, 0, 0})));
            ASSERT_TRUE(own) << of.maps;
            EXPECT_EQ(source.apply(PlaceNumbers{*own, lane, 1, 0}),
                      map.apply(result.apply(PlaceNumbers{reg, lane, 1, 0})))
                << of.maps;
          }
    }
}

TEST_F(ElementMapsTest, ResultsComeFromTheOperandsThread) {
  for (const Case &of : kCases) {
    LinearLayout operand = makeLayout(of.operand, 2);
    llvm::SmallVector<ElementMap, 2> maps = read(of);
    std::optional<LinearLayout> result =
        getLayoutOfSource(maps, operand, of.result);
    // The plan doesn't know where elements are that have one source in common.
    ASSERT_EQ(result.has_value(), !of.isRepeated) << of.maps;
    if (!result)
      continue;
    EXPECT_TRUE(result->isSurjective()) << of.maps;
    // Deriving a layout again needs elements of the same lanes and warps, but
    // for those that constants add.
    LinearLayout again = getSourceLayout(maps, *result, of.operand);
    auto conversion = Conversion::plan(operand, again);
    ASSERT_TRUE(conversion) << of.maps;
    bool isReversed = llvm::StringRef(of.maps).contains("- ");
    if (!isReversed)
      EXPECT_LE(conversion->getMovement(), Movement::Registers) << of.maps;
  }
}

/// The rules that upstream's ops have are those of their maps.
TEST_F(ElementMapsTest, RulesOfShapesAgree) {
  LinearLayout rows = makeLayout({3, 9}, 2);
  auto derive = [&](const Case &of) {
    return getSourceLayout(read(of), rows, of.operand);
  };
  EXPECT_EQ(derive(kCases[1]), getTransposeSource(rows, {1, 0}));
  EXPECT_EQ(derive(kCases[2]),
            getReducedLayout(rows, {false, true}).withoutCopies());
  EXPECT_EQ(derive(kCases[3]), getBroadcastSource(rows, {0, 9}));
  EXPECT_EQ(derive(kCases[4]), getReshaped(rows, {12}));
}

/// Sources that are next to each other are in neighbouring registers.
TEST_F(ElementMapsTest, PairsAreRuns) {
  const Case &pairs = kCases[8];
  LinearLayout source =
      getSourceLayout(read(pairs), makeLayout(pairs.result, 2), pairs.operand);
  EXPECT_EQ(source.getContiguous(1), 8u);
}

/// A run begins at a multiple of its length where constants reverse it.
TEST_F(ElementMapsTest, ReversedRunsAreAligned) {
  const Case &reversed = kCases[10];
  LinearLayout source = getSourceLayout(
      read(reversed), makeLayout(reversed.result, 2), reversed.operand);
  for (const auto &basis : source.getBases(Place::Register))
    EXPECT_TRUE(basis[1] < 4 || basis[1] % 4 == 0) << basis[1];
}

} // namespace
