//===- main.cpp - a program that uses an installed runtime ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Opens a package that isn't there, and asks for a device: fails unless both
// give the errors that they should on a machine without a GPU.
//
//===----------------------------------------------------------------------===//

#include "carousel/Runtime/Kernel.h"

#include <cstdio>

using namespace carousel::runtime;

int main() {
  auto package = Package::open("no-such-package");
  if (package || package.error().code != ErrorCode::NotFound)
    return 1;
  std::puts(package.error().message.c_str());
  ContextOptions options;
  options.libraries.driver = "libno-such-driver.so.1";
  auto context = Context::create(options);
  if (context || context.error().code != ErrorCode::NoLibrary)
    return 1;
  std::puts(context.error().message.c_str());
  return 0;
}
