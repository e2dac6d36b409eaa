//===- FormInstances.h - instructions made of the table's rows -*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Text of an instruction for a form of the table, and a module around it.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TEST_PTX_FORMINSTANCES_H
#define CAROUSEL_TEST_PTX_FORMINSTANCES_H

#include "carousel/PTX/InstructionForms.h"

namespace carousel::ptx {

/// An instruction of the form: of each modifier the first allowed word, without
/// or with what may be left out.
std::string makeInstance(const InstructionForm &form, bool withOptional);

/// A kernel of these instructions, after the declarations of what they name.
std::string makeModule(llvm::ArrayRef<std::string> instructions,
                       llvm::StringRef chip = "sm_100a");

} // namespace carousel::ptx

#endif // CAROUSEL_TEST_PTX_FORMINSTANCES_H
