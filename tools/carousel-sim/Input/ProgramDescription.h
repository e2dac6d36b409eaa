//===- ProgramDescription.h - a program of a manifest as MLIR ---*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a manifest says of a program, as a func.func with carousel.program: its
// arguments, checks and steps, on views of them.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_SIM_PROGRAMDESCRIPTION_H
#define CAROUSEL_TOOLS_SIM_PROGRAMDESCRIPTION_H

#include "carousel/Runtime/Manifest.h"

namespace carousel::simtool {

/// The name of the memref.global with a constant of a program.
std::string getConstantName(const runtime::ProgramInfo &program, size_t number);

/// The function and the globals, which have no elements, as text; empty if a
/// kernel isn't compiled for the chip. Expressions may count multiprocessors.
std::string describeProgram(const runtime::Manifest &manifest,
                            const runtime::ProgramInfo &program,
                            std::string_view chip, uint32_t multiprocessors);

} // namespace carousel::simtool

#endif // CAROUSEL_TOOLS_SIM_PROGRAMDESCRIPTION_H
