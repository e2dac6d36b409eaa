/*===- CAPIComm.c - the header of groups in C -------------------------------===*\
|* Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.      *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
\*===----------------------------------------------------------------------===*/

#include "carousel_comm.h"

_Static_assert(sizeof(carousel_comm_options) == 72, "what callers have");

size_t carousel_test_comm_options(void) {
  carousel_comm_options options;
  carousel_comm_options_init(&options, sizeof(options));
  return options.size;
}
