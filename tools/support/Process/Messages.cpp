//===- Messages.cpp - output and errors of tools --------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Messages.h"

#include "carousel/Support/Printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

using namespace carousel;

static void print(const char *kind, std::string message) {
  while (!message.empty() && message.back() == '\n')
    message.pop_back();
  std::replace(message.begin(), message.end(), '\n', ' ');
  fmt::print(stderr, "{}: {}: {}\n", program_invocation_short_name, kind,
             escapeControls(message));
}

void tools::printError(std::string message) {
  print("error", std::move(message));
}

void tools::printWarning(std::string message) {
  print("warning", std::move(message));
}

bool tools::printResult(const std::string &text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() &&
      std::fflush(stdout) == 0)
    return true;
  printError(fmt::format("cannot write to the standard output: {}",
                         std::strerror(errno)));
  return false;
}
