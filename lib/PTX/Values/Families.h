//===- Families.h - the families of pure instructions -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function finds the Evaluate of an instruction of its family, and
// returns nullptr for others.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_PTX_VALUES_FAMILIES_H
#define CAROUSEL_LIB_PTX_VALUES_FAMILIES_H

#include "carousel/PTX/Values.h"

namespace carousel::ptx {

Evaluate findIntegerValue(const Instruction &instruction);
Evaluate findCarryValue(const Instruction &instruction);
Evaluate findBitValue(const Instruction &instruction);
Evaluate findFloatValue(const Instruction &instruction);
Evaluate findFloatPartValue(const Instruction &instruction);
Evaluate findDivisionValue(const Instruction &instruction);
Evaluate findApproximateValue(const Instruction &instruction);
Evaluate findComparisonValue(const Instruction &instruction);
Evaluate findConversionValue(const Instruction &instruction);
Evaluate findPackedConversionValue(const Instruction &instruction);
Evaluate findMoveValue(const Instruction &instruction);
Evaluate findVideoValue(const Instruction &instruction);

} // namespace carousel::ptx

#endif // CAROUSEL_LIB_PTX_VALUES_FAMILIES_H
