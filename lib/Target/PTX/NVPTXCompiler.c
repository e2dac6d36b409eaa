/*===- NVPTXCompiler.c - NVIDIA's library and nothing else -----------------===*\
|*
|* Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

/* The shared library is what the linker takes from the archive. */
typedef int CarouselNVPTXCompilerHasNoCode;
