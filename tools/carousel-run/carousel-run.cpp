//===- carousel-run.cpp - runs the kernels of a package -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lists the kernels of a package that carousel-compile wrote. Runs one on .npy
// files, compares its results, times it, and explains which variant runs.
//
//===----------------------------------------------------------------------===//

#include "../support/Process/FileSizeLimit.h"
#include "../support/Process/Messages.h"
#include "../support/Process/OutOfMemory.h"
#include "Run.h"
#include "RunCommandLine.h"
#include "RunOptions.h"

#include "carousel/Runtime/Context.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

using namespace carousel;
using namespace carousel::run;

//===----------------------------------------------------------------------===//
// Runs many command lines in one process
//===----------------------------------------------------------------------===//

static Exit runLine(const std::string &line) {
  std::vector<std::string> words = {"carousel-run"};
  std::istringstream stream(line);
  for (std::string word; stream >> word;)
    words.push_back(word);
  std::vector<char *> arguments;
  for (std::string &word : words)
    arguments.push_back(word.data());
  auto parsed =
      parseCommandLine(static_cast<int>(arguments.size()), arguments.data());
  if (auto *end = std::get_if<Exit>(&parsed))
    return *end;
  return run::run(std::get<Options>(parsed));
}

/// Runs the command lines of a file, one a line, with words separated by
/// spaces. Keeps one context, because starting the driver takes longer than
/// most kernels. Prints `batch LINE: STATUS` after each. Returns the highest
/// status. After a kernel that traps, all later lines fail.
static Exit runBatch(const std::string &file) {
  std::ifstream stream(file);
  if (!stream) {
    printError(fmt::format("can't read '{}'", file));
    return Exit::Failure;
  }
  auto context = runtime::Context::create(runtime::ContextOptions());
  if (!context) {
    printError(context.error().message);
    return Exit::Failure;
  }
  Exit worst = Exit::Success;
  unsigned number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    if (line.find_first_not_of(' ') == std::string::npos)
      continue;
    Exit exit = runLine(line);
    worst = std::max(worst, exit);
    fmt::print("batch {}: {}\n", number, static_cast<int>(exit));
    std::fflush(stdout);
  }
  // A directory can be opened, and nothing be read.
  if (stream.bad()) {
    printError(fmt::format("can't read '{}'", file));
    return Exit::Failure;
  }
  return worst;
}

//===----------------------------------------------------------------------===//
// Runs the kernels of a package
//===----------------------------------------------------------------------===//

int main(int argc, char **argv) {
  blockFileSizeSignal();
  installOutOfMemoryHandler();
  // --batch stands by itself: the lines have all other options.
  if (argc > 1 && std::string_view(argv[1]) == "--batch") {
    if (argc == 3)
      return static_cast<int>(runBatch(argv[2]));
    printError("expected --batch with one file and nothing else");
    return static_cast<int>(Exit::Usage);
  }
  auto parsed = parseCommandLine(argc, argv);
  if (auto *end = std::get_if<Exit>(&parsed))
    return static_cast<int>(*end);
  return static_cast<int>(run::run(std::get<Options>(parsed)));
}
