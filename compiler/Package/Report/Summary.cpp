//===- Summary.cpp - summary of a package ---------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints two aligned tables: the variants, and the files.
//
//===----------------------------------------------------------------------===//

#include "carousel/Package/CompilePackage.h"

#include "PrintTable.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace carousel;

void carousel::printTable(llvm::raw_ostream &os,
                          llvm::ArrayRef<TableRow> rows) {
  std::vector<size_t> widths(rows.front().size());
  for (const TableRow &row : rows)
    for (auto [width, cell] : llvm::zip(widths, row))
      width = std::max(width, cell.size());
  for (const TableRow &row : rows) {
    for (size_t i = 0; i + 1 < row.size(); ++i)
      os << llvm::left_justify(row[i], widths[i] + 2);
    os << row.back() << '\n';
  }
}

static std::string formatBlock(const std::array<int64_t, 3> &sizes) {
  return std::to_string(sizes[0]) + "x" + std::to_string(sizes[1]) + "x" +
         std::to_string(sizes[2]);
}

void carousel::printSummary(llvm::raw_ostream &os, const Package &package) {
  std::vector<TableRow> variants = {
      {"kernel", "variant", "guards", "block", "shared", "chips"}};
  for (const KernelDescription &kernel : package.manifest.kernels)
    for (const VariantDescription &variant : kernel.variants)
      variants.push_back(
          {kernel.name, variant.moduleName + "::" + variant.functionName,
           std::to_string(variant.guards.size()), formatBlock(variant.block),
           std::to_string(variant.dynamicShared),
           llvm::join(variant.chips, " ")});
  printTable(os, variants);
  os << '\n';
  std::vector<TableRow> files = {{"file", "bytes"}};
  for (const PackageFile &file : package.files)
    files.push_back({file.name, std::to_string(file.contents.size())});
  printTable(os, files);
}
