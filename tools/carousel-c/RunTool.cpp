//===- RunTool.cpp - runs a program of the library ------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The mains of the tools are compiled under the names that are declared here
// (CMakeLists.txt).
//
//===----------------------------------------------------------------------===//

#include "RunTool.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"

int runCarouselOpt(int argc, char **argv);
int runCarouselCompile(int argc, char **argv);
int runCarouselSim(int argc, char **argv);
int runCarouselMutate(int argc, char **argv);

int carousel_private_run_tool(const char *name, int argc, char **argv) {
  using Main = int (*)(int, char **);
  Main run = llvm::StringSwitch<Main>(name)
                 .Case("carousel-opt", runCarouselOpt)
                 .Case("carousel-compile", runCarouselCompile)
                 .Case("carousel-sim", runCarouselSim)
                 .Case("carousel-mutate", runCarouselMutate)
                 .Default(nullptr);
  if (run)
    return run(argc, argv);
  llvm::errs() << "expected the name of a tool, got '" << name << "'\n";
  return 1;
}
