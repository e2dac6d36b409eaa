//===- carousel_xla.h - launches from programs of XLA -----------*- C -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Handlers of XLA's typed foreign function interface, API version 0, for the
// platform CUDA. A custom call names a function of a package by attributes:
//
//   package   a text: the package's directory
//   kind      a text: "program" or "kernel"
//   name      a text: the function's name
//   operands  an array of i64, one for each argument of the function: which of
//             the call's buffers it gets, arguments before results; -1: none,
//             it is a scalar
//   scalars   an array of i64, one for each argument: the bits of a scalar as
//             carousel_argument has them; 0 for tensors
//
// Buffers are contiguous. The process opens a package at its first call, and
// keeps it. A launch goes into XLA's stream and doesn't wait. Its workspaces
// are the runtime's own, one for each stream. The text of an error is
// carousel_last_error's. Since version 9.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_XLA_H
#define CAROUSEL_XLA_H

#include "carousel_runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

struct XLA_FFI_CallFrame;
struct XLA_FFI_Error;

// Loads the function onto the call's device: the handler of the stage
// "initialize".
CAROUSEL_RUNTIME_API struct XLA_FFI_Error *
carousel_xla_load(struct XLA_FFI_CallFrame *frame) CAROUSEL_RUNTIME_NOEXCEPT;
// Launches the function: the handler of the stage "execute".
CAROUSEL_RUNTIME_API struct XLA_FFI_Error *
carousel_xla_launch(struct XLA_FFI_CallFrame *frame) CAROUSEL_RUNTIME_NOEXCEPT;
// The same for functions without workspaces: XLA may record the call in a CUDA
// graph. It would record one with workspaces in a stream that has none, and
// graphs that run at the same time would share them.
CAROUSEL_RUNTIME_API struct XLA_FFI_Error *carousel_xla_launch_recorded(
    struct XLA_FFI_CallFrame *frame) CAROUSEL_RUNTIME_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif // CAROUSEL_XLA_H
