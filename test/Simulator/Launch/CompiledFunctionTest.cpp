//===- CompiledFunctionTest.cpp - references on the host ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTesting.h"

#include <cmath>

using namespace carousel::sim;

namespace {

class CompiledFunctionTest : public KernelTest {};

TEST_F(CompiledFunctionTest, LinalgOnMemRefs) {
  auto function = compileFunction(R"(
func.func @matmul(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>, %scale: f32) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<?x?xf32>)
  linalg.matmul ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) outs(%c : memref<?x?xf32>)
  linalg.map ins(%c : memref<?x?xf32>) outs(%c : memref<?x?xf32>) (%v: f32, %init: f32) {
    %r = arith.mulf %v, %scale : f32
    linalg.yield %r : f32
  }
  return
})",
                                  "matmul");
  ASSERT_TRUE(function) << messages;
  ASSERT_EQ(function->getArguments().size(), 4u);
  std::vector<float> a = {1, 2, 3, 4, 5, 6}, b = {1, 2, 3, 4, 5, 6}, c(4);
  float scale = 10;
  uint32_t bits;
  std::memcpy(&bits, &scale, sizeof bits);
  EXPECT_EQ(function->call({makeMemRef(a, {2, 3}), makeMemRef(b, {3, 2}),
                            makeMemRef(c, {2, 2}), makeNumber(bits)}),
            "");
  EXPECT_EQ(c, (std::vector<float>{220, 280, 490, 640}));
}

TEST_F(CompiledFunctionTest, AddressSpacesAndCallees) {
  auto function = compileFunction(R"(
func.func private @twice(%v: bf16) -> bf16 {
  %r = arith.addf %v, %v : bf16
  return %r : bf16
}
func.func @f(%x: memref<4xbf16, #gpu.address_space<global>>) {
  affine.for %i = 0 to 4 {
    %v = affine.load %x[%i] : memref<4xbf16, #gpu.address_space<global>>
    %w = func.call @twice(%v) : (bf16) -> bf16
    affine.store %w, %x[%i] : memref<4xbf16, #gpu.address_space<global>>
  }
  return
})",
                                  "f");
  ASSERT_TRUE(function) << messages;
  std::vector<uint16_t> x = {0x3f80, 0x4000, 0x0000, 0xbf80};
  EXPECT_EQ(function->call({makeMemRef(x)}), "");
  EXPECT_EQ(x, (std::vector<uint16_t>{0x4000, 0x4080, 0x0000, 0xc000}));
}

TEST_F(CompiledFunctionTest, RefusesWhatCannotBeCalled) {
  EXPECT_FALSE(compileFunction("func.func @f() { return }", "g"));
  EXPECT_NE(messages.find("expected a function named 'g'"), std::string::npos);
  messages.clear();
  EXPECT_FALSE(
      compileFunction("func.func @f(%a: f32) -> f32 { return %a : f32 }", "f"));
  EXPECT_NE(messages.find("without results"), std::string::npos) << messages;
  messages.clear();
  EXPECT_FALSE(
      compileFunction("func.func @f(%a: tensor<4xf32>) { return }", "f"));
  EXPECT_NE(messages.find("memrefs or numbers"), std::string::npos) << messages;

  auto function =
      compileFunction("func.func @f(%a: memref<4xf32>) { return }", "f");
  ASSERT_TRUE(function) << messages;
  std::vector<float> short_(3);
  EXPECT_EQ(function->call({}), "expected 1 arguments, got 0");
  EXPECT_EQ(function->call({makeMemRef(short_)}),
            "expected extent 4 in dimension 0 of argument arg0, got 3");
}

TEST_F(CompiledFunctionTest, UnwrittenElementsArePoison) {
  auto function = compileFunction(R"(
    func.func @f(%y: memref<2x2xf32, strided<[3, 1]>>) {
      %c1 = arith.constant 1 : index
      %two = arith.constant 2.0 : f32
      memref.store %two, %y[%c1, %c1] : memref<2x2xf32, strided<[3, 1]>>
      return
    })",
                                  "f");
  ASSERT_TRUE(function) << messages;
  std::vector<float> y(6, 1);
  Argument argument;
  argument.data = y.data();
  argument.extents = {2, 2};
  argument.strides = {3, 1};
  argument.isWritten = false;
  EXPECT_EQ(function->call(argument), "");
  for (int i : {0, 1, 3})
    EXPECT_TRUE(std::isnan(y[i])) << i;
  EXPECT_EQ(y[4], 2);
  // Memory between the elements isn't the argument's.
  EXPECT_EQ(y[2], 1);
  EXPECT_EQ(y[5], 1);
}

} // namespace
