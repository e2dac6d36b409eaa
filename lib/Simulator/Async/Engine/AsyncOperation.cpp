//===- AsyncOperation.cpp - one operation of an engine --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pieces that a batch takes.
//
//===----------------------------------------------------------------------===//

#include "AsyncOperation.h"

#include "llvm/Support/MathExtras.h"

namespace carousel::sim {

PieceReader::~PieceReader() = default;

Pieces Pieces::take(uint32_t choice) {
  Pieces taken = *this;
  if (alternate)
    choice = 0;
  uint32_t size = end - begin;
  // Split at lines of 128 bytes if possible, because swizzles stay inside them.
  uint32_t middle = begin + size / 2;
  if (size >= 16)
    middle = llvm::alignDown(middle, 8u);
  bool isSingle = size > 2;
  if (choice == 3 && size > 1 && middle > begin) {
    taken.end = begin = middle;
  } else if (choice == 4 && size > 1 && middle > begin) {
    taken.begin = end = middle;
  } else if (choice == 5 && isSingle) {
    taken.end = ++begin;
  } else if (choice == 6 && isSingle) {
    taken.begin = --end;
  } else if (choice == 7 && isSingle) {
    unit = size >= 128 ? llvm::alignTo(size / 16, 8u) : size >= 32 ? 8 : 1;
    alternate = true;
    taken = *this;
    taken.odd = true;
  } else {
    begin = end;
  }
  return taken;
}

} // namespace carousel::sim
