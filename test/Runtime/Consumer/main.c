//===- main.c - a C program that uses an installed runtime ----------------===//
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

#include <carousel_runtime.h>

#include <stdio.h>

int main(void) {
  if (carousel_runtime_version() < CAROUSEL_RUNTIME_VERSION)
    return 1;
  carousel_package *package = NULL;
  if (carousel_package_open("no-such-package", &package) !=
          CAROUSEL_NOT_FOUND ||
      package != NULL)
    return 1;
  puts(carousel_last_error());
  carousel_context_options options;
  carousel_context_options_init(&options, sizeof(options));
  options.driver = "libno-such-driver.so.1";
  carousel_context *context = NULL;
  if (carousel_context_create(&options, &context) != CAROUSEL_NO_LIBRARY)
    return 1;
  puts(carousel_last_error());
  carousel_source source = {"k.cu", ""};
  carousel_code *code = NULL;
  if (carousel_compile(NULL, &source, NULL, &code) !=
          CAROUSEL_INVALID_ARGUMENT || // no chip
      code != NULL)
    return 1;
  puts(carousel_last_error());
  return 0;
}
