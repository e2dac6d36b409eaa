//===- FindValue.cpp - the function of an instruction ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Asks the families. See Values.h.
//
//===----------------------------------------------------------------------===//

#include "Families.h"

using namespace carousel;
using namespace carousel::ptx;

Evaluate ptx::findValue(const Instruction &instruction) {
  for (auto *find :
       {findCarryValue, findIntegerValue, findBitValue, findFloatValue,
        findFloatPartValue, findDivisionValue, findApproximateValue,
        findComparisonValue, findConversionValue, findPackedConversionValue,
        findMoveValue, findVideoValue})
    if (Evaluate found = find(instruction))
      return found;
  return nullptr;
}
