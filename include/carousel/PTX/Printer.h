//===- Printer.h - writes PTX text ------------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Canonical text: one statement a line, modifiers in the order of the ISA,
// integers in decimal, floats as their bits. Parsing it gives an equal module.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PTX_PRINTER_H
#define CAROUSEL_PTX_PRINTER_H

#include "carousel/PTX/PTXModule.h"

#include "llvm/Support/raw_ostream.h"

namespace carousel::ptx {

void print(const Module &module, llvm::raw_ostream &os);
/// One instruction of a function, without its semicolon.
void print(const Instruction &instruction, const Function &function,
           const Module &module, llvm::raw_ostream &os);

} // namespace carousel::ptx

#endif // CAROUSEL_PTX_PRINTER_H
