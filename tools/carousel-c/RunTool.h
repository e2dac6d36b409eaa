//===- RunTool.h - runs a program of the library ------------------*- C -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The programs of a wheel share the LLVM that libCarouselCompiler holds: each
// is a main that calls this function of the library of the same build. It is no
// part of the C interface, since a program ends its process.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_C_RUNTOOL_H
#define CAROUSEL_TOOLS_C_RUNTOOL_H

#ifdef __cplusplus
extern "C" {
#endif

/// Runs carousel-opt, carousel-compile, carousel-sim or carousel-mutate as its
/// program does, and returns its exit status.
__attribute__((visibility("default"))) int
carousel_private_run_tool(const char *name, int argc, char **argv);

#ifdef __cplusplus
}
#endif

#endif // CAROUSEL_TOOLS_C_RUNTOOL_H
