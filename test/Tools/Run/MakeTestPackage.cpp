//===- MakeTestPackage.cpp - a package for lit tests ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// carousel-make-test-package DIR copies.json: writes a package with the
// manifest in the file. Images have contents that the fake driver loads, and
// the sizes and hashes that those contents have, whatever the file says.
//
//===----------------------------------------------------------------------===//

#include "TestPackages.h"

#include <cstdio>
#include <fstream>
#include <sstream>

int main(int argc, char **argv) {
  using namespace carousel::runtime::test;
  if (argc != 3) {
    fprintf(stderr, "usage: carousel-make-test-package DIR MANIFEST\n");
    return 2;
  }
  std::ifstream stream(argv[2]);
  std::stringstream text;
  text << stream.rdbuf();
  if (!stream) {
    fprintf(stderr, "carousel-make-test-package: cannot read %s\n", argv[2]);
    return 1;
  }
  auto files = makeFiles(text.str());
  for (auto &[name, contents] : files) {
    bool isPTX = name.size() > 4 && name.substr(name.size() - 4) == ".ptx";
    contents = (isPTX ? ".version 8.0 // " : "FAKECUBIN ") + contents;
  }
  writePackage(argv[1], text.str(), files);
  return 0;
}
