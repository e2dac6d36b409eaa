//===- OlderGlibc.c - what older versions of glibc lack -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM takes random numbers, for names of temporary files, from a function that
// glibc has from 2.36 on. With one of the library's own, it runs with 2.34,
// which RHEL 9 and Ubuntu 22.04 have. It isn't visible outside of the library.
//
//===----------------------------------------------------------------------===//

#include <stdint.h>
#include <sys/random.h>
#include <time.h>

uint32_t arc4random(void);

uint32_t arc4random(void) {
  uint32_t number = 0;
  if (getrandom(&number, sizeof(number), 0) == (ssize_t)sizeof(number))
    return number;
  // Names only have to differ. LLVM tries another one if a file exists.
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  return (uint32_t)now.tv_nsec;
}
