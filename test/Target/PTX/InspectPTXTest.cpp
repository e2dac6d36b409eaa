//===- InspectPTXTest.cpp - what functions of a PTX text do ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Target/InspectPTX.h"

#include "gtest/gtest.h"

using namespace carousel;

namespace {

/// The function that has `body` as its only code.
PTXFunction inspect(llvm::StringRef body) {
  std::vector<PTXFunction> functions = inspectPTX(
      (".version 8.6\n.target sm_90a\n.address_size 64\n\n"
       ".extern .func  (.param .b32 func_retval0) vprintf\n(\n\t.param .b64 "
       "a\n)\n;\n.global .align 4 .b8 table[4] = {1, 2, 3, 4};\n"
       ".visible .entry k(\n\t.param .u64 .ptr .global .align 1 k_param_0\n)\n"
       ".maxntid 128, 1, 1\n{\n" +
       body + "\n\tret;\n}\n")
          .str());
  EXPECT_EQ(functions.size(), 1u);
  EXPECT_EQ(functions.front().name, "k");
  EXPECT_TRUE(functions.front().isKernel);
  return functions.front();
}

TEST(InspectPTXTest, NothingIsWritten) {
  PTXFunction function = inspect(R"(
	.reg .b32 	%r<2>; // st.global.b32
	st.param.b32 	[param0], %r1;
	st.local.v2.b32 	[%rd1], {%r1, %r2};
	cp.async.bulk.commit_group;
	cp.async.bulk.prefetch.L2.global [%rd1], 64;
	mbarrier.arrive.shared.b64 	%rd2, [%r1];)");
  EXPECT_EQ(function.writes, PTXWrites::None);
  EXPECT_FALSE(function.readsShared);
}

TEST(InspectPTXTest, KindsOfWrites) {
  struct Case {
    const char *text;
    PTXWrites writes;
  } cases[] = {
      {"@%p1 st.global.v4.b32 [%rd1], {%r1, %r2, %r3, %r4};",
       PTXWrites::Global},
      {"st.b32 [%rd1], %r1;", PTXWrites::Global | PTXWrites::Shared},
      {"$L__BB0_1: st.shared.b16 [%r1], %rs1;", PTXWrites::Shared},
      {"// begin inline asm\n\t{ .reg .pred p; @p st.release.sys.global.b32 "
       "[%rd1], %r1; }\n\t// end inline asm",
       PTXWrites::Global | PTXWrites::Signals},
      {"{ red.release.sys.global.add.u32 [%rd1], %r1 }",
       PTXWrites::Reductions | PTXWrites::Signals},
      {"atom.global.add.f32 %r2, [%rd1], %r1;", PTXWrites::Reductions},
      {"atom.shared.add.u32 %r2, [%r3], %r1;", PTXWrites::Shared},
      {"cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], %r2;",
       PTXWrites::Bulk},
      {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
       "[%r1], [%rd1], %r2, [%r3];",
       PTXWrites::Shared},
      {"cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd1, "
       "{%r1, %r2}], [%r3];",
       PTXWrites::Bulk},
      {"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%rd1], "
       "[%r1], %r2;",
       PTXWrites::Bulk},
      {"cp.async.cg.shared.global [%r1], [%rd1], 16;", PTXWrites::Shared},
      {"multimem.st.relaxed.sys.global.u32 [%rd1], %r1;", PTXWrites::Multimem},
      {"multimem.ld_reduce.relaxed.sys.global.add.u32 %r1, [%rd1];",
       PTXWrites::None},
  };
  for (const Case &one : cases)
    EXPECT_EQ(inspect(one.text).writes, one.writes) << one.text;
}

TEST(InspectPTXTest, LinesOfDebugInformation) {
  PTXFunction function = inspect(R"(
	.loc	1 8 5
	st.global.b32 	[%rd1], %r1;
	.loc	1 9 5, function_name $L__info_string0, inlined_at 1 3 3
	ld.shared.b32 	%r1, [%r2];
	.loc	1 10 5                          // a.mlir:10:5
	call.uni other, ();)");
  EXPECT_EQ(function.writes, PTXWrites::Global);
  EXPECT_TRUE(function.readsShared);
  EXPECT_EQ(function.callees, std::vector<std::string>{"other"});
  EXPECT_EQ(inspectPTX(".file 1 \"/tmp/{a\"\n.entry k()\n{\nret;\n}\n").size(),
            1u);
}

TEST(InspectPTXTest, SharedMemoryIsRead) {
  EXPECT_TRUE(inspect("ld.shared.b32 %r1, [%r2];").readsShared);
  EXPECT_TRUE(
      inspect("cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], 16;")
          .readsShared);
  EXPECT_FALSE(
      inspect("cp.async.cg.shared.global [%r1], [%rd1], 16;").readsShared);
}

TEST(InspectPTXTest, CallsAndStack) {
  PTXFunction function = inspect(R"(
	.local .align 8 .b8 	__local_depot0[24];
	{ // callseq 0, 0
	.param .b32 retval0;
	call.uni (retval0), helper, (param0);
	} // callseq 0
	call.uni other, ();)");
  EXPECT_EQ(function.stackBytes, 24);
  EXPECT_FALSE(function.callsIndirectly);
  EXPECT_EQ(function.callees, (std::vector<std::string>{"helper", "other"}));
  EXPECT_TRUE(inspect(R"(
	prototype_0 : .callprototype (.param .b32 _) _ (.param .b32 _, .param .b64 _);
	call (retval0), %rd1, (param0, param1), prototype_0;)")
                  .callsIndirectly);
}

/// Functions that call the given ones and do nothing else.
std::vector<PTXFunction>
makeCalls(std::vector<std::pair<std::string, std::vector<std::string>>> calls) {
  std::vector<PTXFunction> functions;
  for (auto &[name, callees] : calls) {
    functions.emplace_back();
    functions.back().name = name;
    functions.back().callees = callees;
  }
  return functions;
}

TEST(InspectPTXTest, WhatCalleesWriteIsWritten) {
  std::vector<PTXFunction> functions =
      makeCalls({{"k", {"a"}}, {"a", {"b", "a"}}, {"b", {}}, {"c", {}}});
  functions[2].writes = PTXWrites::Global;
  functions[3].writes = PTXWrites::Bulk;
  EXPECT_EQ(addCallees(functions[0], functions).writes, PTXWrites::Global);
}

TEST(InspectPTXTest, Recursion) {
  EXPECT_EQ(findRecursion(
                makeCalls({{"k", {"a", "b"}}, {"a", {"b"}}, {"b", {"out"}}})),
            "");
  std::string on = findRecursion(
      makeCalls({{"k", {"a"}}, {"a", {"b"}}, {"b", {"c", "a"}}, {"c", {}}}));
  EXPECT_TRUE(on == "a" || on == "b") << on;
}

} // namespace
