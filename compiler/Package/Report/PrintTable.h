//===- PrintTable.h - aligned columns ---------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tables for people. Private to the package compiler.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_COMPILER_PACKAGE_REPORT_PRINTTABLE_H
#define CAROUSEL_COMPILER_PACKAGE_REPORT_PRINTTABLE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace carousel {

using TableRow = std::vector<std::string>;

/// Prints the rows, each column but the last as wide as its longest entry.
void printTable(llvm::raw_ostream &os, llvm::ArrayRef<TableRow> rows);

} // namespace carousel

#endif // CAROUSEL_COMPILER_PACKAGE_REPORT_PRINTTABLE_H
