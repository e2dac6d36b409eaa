//===- Seeds.cpp - the modules that mutants are made of -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Seeds.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace carousel::fuzz;

/// Small enough that many mutants of it are compiled in a second.
static constexpr size_t kMaxSeedBytes = 16 << 10;

static void addSeeds(const std::string &file, std::vector<Seed> &seeds) {
  auto buffer = llvm::MemoryBuffer::getFile(file);
  if (!buffer)
    return;
  std::string text;
  auto finish = [&] {
    if (!text.empty() && text.size() <= kMaxSeedBytes)
      seeds.push_back({file, text});
    text.clear();
  };
  for (llvm::line_iterator line(**buffer, /*SkipBlanks=*/true);
       !line.is_at_eof(); ++line) {
    StringRef trimmed = line->trim();
    if (trimmed.starts_with("// -----") || trimmed.starts_with("#---") ||
        trimmed.starts_with("//---"))
      finish();
    else if (!trimmed.starts_with("//") && !trimmed.starts_with("# "))
      text += (*line + "\n").str();
  }
  finish();
}

std::vector<Seed> carousel::fuzz::readSeeds(ArrayRef<std::string> paths) {
  std::vector<std::string> files;
  for (const std::string &path : paths) {
    if (!llvm::sys::fs::is_directory(path)) {
      files.push_back(path);
      continue;
    }
    std::error_code error;
    for (llvm::sys::fs::recursive_directory_iterator entry(path, error), end;
         !error && entry != end; entry.increment(error))
      if (StringRef(entry->path()).ends_with(".mlir"))
        files.push_back(entry->path());
  }
  llvm::sort(files);
  std::vector<Seed> seeds;
  for (const std::string &file : files)
    addSeeds(file, seeds);
  return seeds;
}
