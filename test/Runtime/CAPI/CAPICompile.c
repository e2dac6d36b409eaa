//===- CAPICompile.c - the C interface as C -------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls the functions from C11, as CAPITest.cpp asks it to.
//
//===----------------------------------------------------------------------===//

#include "carousel_runtime.h"

_Static_assert(CAROUSEL_RUNTIME_VERSION >= 1, "an integer constant");
_Static_assert(sizeof(carousel_status) == 4, "not an enum");

// Copies four floats with the kernel "copy" and reads them back. Returns the
// first status that isn't CAROUSEL_OK.
carousel_status carousel_test_copy_in_c(const char *driver,
                                        const char *directory,
                                        const float from[4], float to[4]) {
  carousel_context_options options;
  carousel_context *context = NULL;
  carousel_package *package = NULL;
  carousel_kernel *kernel = NULL;
  carousel_buffer *x = NULL, *y = NULL;
  const int64_t extents[1] = {4};
  carousel_argument arguments[2] = {
      {.kind = CAROUSEL_TENSOR,
       .element = CAROUSEL_F32,
       .rank = 1,
       .extents = extents},
      {.kind = CAROUSEL_TENSOR,
       .element = CAROUSEL_F32,
       .rank = 1,
       .extents = extents},
  };
  carousel_status status;

  carousel_context_options_init(&options, sizeof(options));
  options.driver = driver;
  options.cache_bytes = 0;
  if ((status = carousel_context_create(&options, &context)) ||
      (status = carousel_package_open(directory, &package)) ||
      (status = carousel_kernel_get(context, package, "copy", &kernel)) ||
      (status = carousel_buffer_allocate(context, 16, &x)) ||
      (status = carousel_buffer_allocate(context, 16, &y)) ||
      (status = carousel_buffer_upload(x, from, 16, 0, NULL)) ||
      (status = carousel_buffer_address(x, &arguments[0].data)) ||
      (status = carousel_buffer_address(y, &arguments[1].data)) ||
      (status = carousel_kernel_launch(kernel, arguments, 2, NULL)) ||
      (status = carousel_buffer_download(y, to, 16, 0, NULL)))
    goto done;
  status = carousel_context_synchronize(context, NULL);
done:
  carousel_buffer_free(y);
  carousel_buffer_free(x);
  carousel_kernel_release(kernel);
  carousel_package_close(package);
  carousel_context_destroy(context);
  return status;
}
