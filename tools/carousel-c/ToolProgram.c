//===- ToolProgram.c - a program of the library ---------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The main of each program of a wheel that needs LLVM.
//
//===----------------------------------------------------------------------===//

#include "RunTool.h"

int main(int argc, char **argv) {
  return carousel_private_run_tool(CAROUSEL_TOOL, argc, argv);
}
