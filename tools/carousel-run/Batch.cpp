//===- Batch.cpp - runs many command lines in one process -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Batch.h"

#include "../support/Process/Messages.h"
#include "Run.h"
#include "RunCommandLine.h"

#include "carousel/Runtime/Context.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <fstream>
#include <sstream>

using namespace carousel;
using namespace carousel::run;

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

Exit run::runBatch(const std::string &file) {
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
