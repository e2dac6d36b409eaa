//===- KernelSignatureTest.cpp - arguments and parameters of kernels ------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Results of KernelSignature.h, and launch attributes that are built in C++
// without the parser.
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/IR/KernelSignature.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace carousel;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

namespace {

using Kind = KernelParameter::Kind;

MATCHER_P3(Is, kind, position, dim, "") {
  return arg.kind == kind && arg.position == unsigned(position) &&
         arg.dim == unsigned(dim);
}

class KernelSignatureTest : public ::testing::Test {
protected:
  KernelSignatureTest()
      : handler(&context, [&](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
            error = diagnostic.str();
          return success();
        }) {
    context.loadDialect<CarouselDialect, gpu::GPUDialect>();
  }

  /// Kernels called a, b, c... with these arguments and attributes.
  SmallVector<gpu::GPUFuncOp> parse(ArrayRef<StringRef> kernels) {
    std::string text = "gpu.module @m {";
    for (auto [i, kernel] : llvm::enumerate(kernels))
      text +=
          ("gpu.func @" + Twine(char('a' + i)) + kernel + " { gpu.return }\n")
              .str();
    module = parseSourceString<ModuleOp>(text + "}", &context);
    EXPECT_TRUE(module) << error << " in " << text;
    SmallVector<gpu::GPUFuncOp> found;
    if (module)
      module->walk([&](gpu::GPUFuncOp kernel) { found.push_back(kernel); });
    return found;
  }
  gpu::GPUFuncOp parse(StringRef kernel) {
    SmallVector<gpu::GPUFuncOp> found = parse(ArrayRef(kernel));
    return found.empty() ? gpu::GPUFuncOp() : found.front();
  }

  MemRefType memref(StringRef text) {
    return cast<MemRefType>(
        parse(("(%x: " + text + ") kernel").str()).getArgument(0).getType());
  }

  MLIRContext context;
  std::string error;
  ScopedDiagnosticHandler handler;
  OwningOpRef<ModuleOp> module;
};

TEST_F(KernelSignatureTest, DynamicExtentsArePassed) {
  EXPECT_THAT(getPassedExtents(memref("memref<?x4x?xf32>")), ElementsAre(0, 2));
  EXPECT_THAT(getPassedExtents(memref("memref<4xf32>")), IsEmpty());
  EXPECT_THAT(getPassedExtents(memref("memref<f32>")), IsEmpty());
}

TEST_F(KernelSignatureTest, StridesOfAnIdentityLayoutFollowFromTheExtents) {
  EXPECT_THAT(getPassedStrides(memref("memref<?x?x?xf32>")), IsEmpty());
}

TEST_F(KernelSignatureTest, DynamicStridesOfAStridedLayoutArePassed) {
  EXPECT_THAT(getPassedStrides(memref("memref<2x?x4xf32, strided<[?, 8, ?]>>")),
              ElementsAre(0, 2));
  EXPECT_THAT(getPassedStrides(memref("memref<?xf32, strided<[2]>>")),
              IsEmpty());
}

TEST_F(KernelSignatureTest, ParametersComeInTheOrderOfTheABI) {
  auto parameters = getKernelParameters(
      parse("(%n: index, %x: memref<?x8x?xf32, strided<[?, ?, 1], offset: ?>>, "
            "%map: !carousel.tensor_map<64xf32>, %s: f32, %y: memref<4xf32>) "
            "kernel"));
  ASSERT_TRUE(succeeded(parameters)) << error;
  EXPECT_THAT(*parameters,
              ElementsAre(Is(Kind::Scalar, 0, 0), Is(Kind::Pointer, 1, 0),
                          Is(Kind::Extent, 1, 0), Is(Kind::Extent, 1, 2),
                          Is(Kind::Stride, 1, 0), Is(Kind::Stride, 1, 1),
                          Is(Kind::TensorMap, 2, 0), Is(Kind::Scalar, 3, 0),
                          Is(Kind::Pointer, 4, 0)));
}

TEST_F(KernelSignatureTest, NoArgumentsAreNoParameters) {
  auto parameters = getKernelParameters(parse("() kernel"));
  ASSERT_TRUE(succeeded(parameters));
  EXPECT_THAT(*parameters, IsEmpty());
}

TEST_F(KernelSignatureTest, ArgumentsWithoutAPlaceInTheABIAreRefused) {
  EXPECT_TRUE(failed(getKernelParameters(parse("(%x: i24) kernel"))));
  EXPECT_EQ(error, "expected a ranked memref, a tensor map, an index or a "
                   "number for kernel argument 0, got 'i24'");
  EXPECT_TRUE(failed(getKernelParameters(
      parse("(%n: i32, %x: memref<4xf32, strided<[1], offset: 2>>) kernel"))));
  EXPECT_EQ(error, "expected no static offset for kernel argument 1, got 2 in "
                   "'memref<4xf32, strided<[1], offset: 2>>'");
}

/// `count` tensor maps, and a vector of `bytes` after them.
static std::string makeMaps(int count, int bytes) {
  std::string text = "(";
  for (int i = 0; i < count; ++i)
    text += "%m" + std::to_string(i) + ": !carousel.tensor_map<64xf32>, ";
  return text + "%v: vector<" + std::to_string(bytes) + "xi8>) kernel";
}

TEST_F(KernelSignatureTest, ParametersAreAtMost32764Bytes) {
  // 255 * 128 + 64 + 32 are more only where a map takes 128 bytes, and a
  // vector a power of two.
  EXPECT_TRUE(succeeded(getKernelParameters(parse(makeMaps(255, 64)))));
  EXPECT_TRUE(failed(getKernelParameters(parse(makeMaps(255, 65)))));
  EXPECT_EQ(error,
            "expected at most 32764 bytes of kernel parameters, got 32768");
}

TEST_F(KernelSignatureTest, TensorMapsLeaveGapsBeforeThem) {
  auto makePairs = [](int count) {
    std::string text = "(%n: i32";
    for (std::string i; count > 0; --count) {
      i = std::to_string(count);
      text += ", %m" + i + ": !carousel.tensor_map<64xf32>, %n" + i + ": i32";
    }
    return text + ") kernel";
  };
  EXPECT_TRUE(succeeded(getKernelParameters(parse(makePairs(127)))));
  EXPECT_TRUE(failed(getKernelParameters(parse(makePairs(128)))));
  EXPECT_EQ(error,
            "expected at most 32764 bytes of kernel parameters, got 32776");
}

TEST_F(KernelSignatureTest, HugeVectorsAreTooMany) {
  EXPECT_TRUE(failed(getKernelParameters(
      parse("(%v: vector<2305843009213693952xf64>) kernel"))));
  EXPECT_EQ(error, "expected at most 32764 bytes of kernel parameters, got "
                   "1099511627776");
}

TEST_F(KernelSignatureTest, ArgumentsAreAllButTensorMaps) {
  gpu::GPUFuncOp kernel = parse(
      "(%m: !carousel.tensor_map<64xf32>, %x: memref<?xf32> "
      "{carousel.argument = #carousel.argument<\"x\", out>}, %n: index "
      "{carousel.argument = #carousel.argument<\"n\">}, %y: memref<?xf32>) "
      "kernel");
  EXPECT_THAT(getArgumentPositions(kernel), ElementsAre(1, 2, 3));
  SmallVector<KernelArgument> arguments = getKernelArguments(kernel);
  ASSERT_EQ(arguments.size(), 3u);
  EXPECT_EQ(arguments[0].name, "x");
  EXPECT_EQ(arguments[0].access, ArgumentAccess::Out);
  EXPECT_EQ(arguments[0].position, 1u);
  EXPECT_EQ(arguments[1].name, "n");
  EXPECT_EQ(arguments[1].access, ArgumentAccess::In); // by value
  EXPECT_TRUE(arguments[1].type.isIndex());
  EXPECT_EQ(arguments[2].name, "arg2");
  EXPECT_EQ(arguments[2].access, ArgumentAccess::InOut);
}

TEST_F(KernelSignatureTest, WorkspacesAreTheLastArguments) {
  gpu::GPUFuncOp kernel = parse(
      "(%n: index, %w: memref<?xi32> {carousel.workspace = "
      "#carousel.workspace<[scalar(0) * 2]>}, %m: "
      "!carousel.tensor_map<64xs32> {carousel.encode = "
      "#carousel.encode<argument = 1>}, %v: memref<4xi32> {carousel.argument "
      "= #carousel.argument<\"v\">, carousel.workspace = "
      "#carousel.workspace<[]>}) kernel");
  EXPECT_THAT(getArgumentPositions(kernel), ElementsAre(0, 1, 3));
  SmallVector<KernelArgument> arguments = getKernelArguments(kernel);
  ASSERT_EQ(arguments.size(), 3u);
  EXPECT_FALSE(arguments[0].workspace);
  ASSERT_TRUE(arguments[1].workspace);
  EXPECT_EQ(arguments[1].workspace.getExtents().size(), 1u);
  EXPECT_EQ(arguments[1].name, "arg1");
  EXPECT_EQ(arguments[1].access, ArgumentAccess::InOut);
  EXPECT_TRUE(arguments[2].workspace.getExtents().empty());
  EXPECT_EQ(arguments[2].name, "v");
  // In the ABI they are memrefs like others.
  EXPECT_EQ(getKernelParameters(kernel)->size(), 5u);
}

TEST_F(KernelSignatureTest, AKernelIsCalledByItsVariantOrItself) {
  EXPECT_EQ(getKernelName(parse("() kernel")), "a");
  EXPECT_EQ(getKernelName(parse("() kernel attributes {carousel.variant = "
                                "#carousel.variant<kernel = \"copy\">}")),
            "copy");
}

TEST_F(KernelSignatureTest, VariantsHaveTheSameArguments) {
  StringRef variant = " kernel attributes {carousel.variant = "
                      "#carousel.variant<kernel = \"a\">}";
  std::string same = ("(%x: index, %y: memref<?xf32>)" + variant).str();
  std::string other = ("(%x: i64, %y: memref<?xf32>)" + variant).str();
  StringRef first = "(%x: index, %y: memref<?xf32>) kernel";
  EXPECT_TRUE(succeeded(verifyVariants(parse({first, same}))));
  EXPECT_TRUE(failed(verifyVariants(parse({first, same, other}))));
  EXPECT_EQ(error, "expected argument 0 to be 'index' as in the other variant "
                   "of kernel 'a', got 'i64'");
}

//===----------------------------------------------------------------------===//
// Attributes from C++
//===----------------------------------------------------------------------===//

class LaunchAttrsTest : public KernelSignatureTest {
protected:
  InFlightDiagnostic emit() { return emitError(UnknownLoc::get(&context)); }

  ExprAttr make(ExprKind kind, int64_t value, int64_t argument, ExprAttr lhs,
                ExprAttr rhs) {
    return ExprAttr::getChecked([&] { return emit(); }, &context, kind, value,
                                argument, lhs, rhs);
  }
  GuardAttr make(GuardKind kind, ExprAttr value, ExprAttr other,
                 int64_t least) {
    return GuardAttr::getChecked([&] { return emit(); }, &context, kind,
                                 int64_t(0), value, other, least, int64_t(0));
  }
  ExprAttr one() { return make(ExprKind::Constant, 1, 0, {}, {}); }

  /// 1 - (1 - (1 - ...)), with `depth` parentheses.
  ExprAttr nest(int depth) {
    ExprAttr expr = one();
    for (int i = 0; i <= depth && expr; ++i)
      expr = make(ExprKind::Sub, 0, 0, one(), expr);
    return expr;
  }

  /// The attribute after it was printed and parsed.
  Attribute readBack(Attribute attr) {
    std::string text;
    llvm::raw_string_ostream(text) << attr;
    return parseAttribute(text, &context);
  }
};

TEST_F(LaunchAttrsTest, OperatorsHaveTwoOperandsAndNamesNone) {
  EXPECT_FALSE(make(ExprKind::Add, 0, 0, one(), {}));
  EXPECT_EQ(error, "expected two operands of add, got 1");
  EXPECT_FALSE(make(ExprKind::Scalar, 0, 0, one(), one()));
  EXPECT_EQ(error, "expected no operands of scalar, got 2");
  EXPECT_FALSE(make(ExprKind::Mul, 0, 1, one(), one()));
  EXPECT_EQ(error, "expected the number of an argument in mul, got 1");
  EXPECT_FALSE(make(ExprKind::SMs, 1, 0, {}, {}));
  EXPECT_EQ(error, "expected the number of a dimension in sms, got 1");
}

TEST_F(LaunchAttrsTest, GuardsHaveTheirValues) {
  EXPECT_FALSE(make(GuardKind::Equal, one(), {}, 0));
  EXPECT_EQ(error, "expected 2 expressions in equal, got 1");
  EXPECT_FALSE(make(GuardKind::Aligned, one(), {}, 16));
  EXPECT_EQ(error, "expected 0 expressions in aligned, got 1");
}

TEST_F(LaunchAttrsTest, WhatCanBeNestedCanBeReadBack) {
  ExprAttr deep = nest(64);
  ASSERT_TRUE(deep) << error;
  EXPECT_EQ(readBack(deep), deep) << error;
  EXPECT_FALSE(nest(65));
  EXPECT_EQ(error, "expected an expression nested at most 64 deep, got 65");
}

TEST_F(LaunchAttrsTest, ChainsToTheLeftNeedNoParentheses) {
  ExprAttr chain = one();
  for (int i = 0; i < 127; ++i)
    chain = make(ExprKind::Sub, 0, 0, chain, one());
  ASSERT_TRUE(chain) << error;
  EXPECT_EQ(readBack(chain), chain) << error;
  EXPECT_FALSE(make(ExprKind::Sub, 0, 0, chain, one()));
  EXPECT_EQ(error, "expected an expression of at most 256 operators and "
                   "operands, got 257");
}

} // namespace
