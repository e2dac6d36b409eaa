//===- PTXFuzzer.cpp - hostile texts of PTX -------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Any text is read or refused with a place in it. What is read prints as text
// that reads as the same module.
//
//===----------------------------------------------------------------------===//

#include "carousel/PTX/Parser.h"
#include "carousel/PTX/Printer.h"

#include <cstdlib>

using namespace carousel::ptx;

static void require(bool condition, const char *what) {
  if (condition)
    return;
  llvm::errs() << "PTXFuzzer: expected " << what << '\n';
  std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Diagnostic error;
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  std::optional<Module> module = parse(text, error);
  if (!module) {
    require(!error.message.empty(), "a message");
    require(error.location.line != 0 && error.location.column != 0,
            "a place in the text");
    return 0;
  }
  std::string printed;
  llvm::raw_string_ostream os(printed);
  print(*module, os);
  std::optional<Module> again = parse(printed, error);
  require(again.has_value(), "canonical text to be read");
  require(*again == *module, "canonical text to read as the same module");
  return 0;
}
