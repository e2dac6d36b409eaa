//===- VideoForms.cpp - video instructions
//-----------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of the table of instructions; FormRows.h has the notation. PTX ISA,
// Instruction Set: scalar and SIMD video instructions.
//
//===----------------------------------------------------------------------===//

#include "FormRows.h"

using namespace carousel;
using namespace carousel::ptx;

static constexpr llvm::StringLiteral kScalar = R"(
vadd|vsub|vabsdiff|vmin|vmax D:u32|s32 A:u32|s32 B:u32|s32 [sat] ; =D, A., B.
vadd|vsub|vabsdiff|vmin|vmax D:u32|s32 A:u32|s32 B:u32|s32 [sat] add|min|max ; =D, A., B., D
vadd|vsub|vabsdiff|vmin|vmax D:u32|s32 A:u32|s32 B:u32|s32 [sat] ; =D., A., B., D
vshl|vshr D:u32|s32 A:u32|s32 u32 [sat] clamp|wrap ; =D, A., u32.
vshl|vshr D:u32|s32 A:u32|s32 u32 [sat] clamp|wrap add|min|max ; =D, A., u32., D
vshl|vshr D:u32|s32 A:u32|s32 u32 [sat] clamp|wrap ; =D., A., u32., D
vmad D:u32|s32 A:u32|s32 B:u32|s32 [po] [sat] [shr7|shr15] ; =D, A., B., D
vset A:u32|s32 B:u32|s32 eq|ne|lt|le|gt|ge ; =u32, A., B.
vset A:u32|s32 B:u32|s32 eq|ne|lt|le|gt|ge add|min|max ; =u32, A., B., u32
vset A:u32|s32 B:u32|s32 eq|ne|lt|le|gt|ge ; =u32., A., B., u32
)";

static constexpr llvm::StringLiteral kPacked = R"(
vadd2|vsub2|vavrg2|vabsdiff2|vmin2|vmax2 D:u32|s32 A:u32|s32 B:u32|s32 [sat] ; =D., A., B., D
vadd2|vsub2|vavrg2|vabsdiff2|vmin2|vmax2 D:u32|s32 A:u32|s32 B:u32|s32 add ; =D., A., B., D
vset2 A:u32|s32 B:u32|s32 eq|ne|lt|le|gt|ge [add] ; =u32., A., B., u32
vadd4|vsub4|vavrg4|vabsdiff4|vmin4|vmax4 D:u32|s32 A:u32|s32 B:u32|s32 [sat] ; =D., A., B., D
vadd4|vsub4|vavrg4|vabsdiff4|vmin4|vmax4 D:u32|s32 A:u32|s32 B:u32|s32 add ; =D., A., B., D
vset4 A:u32|s32 B:u32|s32 eq|ne|lt|le|gt|ge [add] ; =u32., A., B., u32
)";

llvm::ArrayRef<llvm::StringLiteral> ptx::getVideoRows() {
  static constexpr llvm::StringLiteral kRows[] = {kScalar, kPacked};
  return kRows;
}
