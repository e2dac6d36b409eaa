//===- carousel_runtime.h - the runtime's C interface -----------*- C -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Opens packages, chooses kernels and launches them. The C++ headers in
// carousel/Runtime describe each call in full. For C11 and later and any C++.
//
// Every function that can fail returns CAROUSEL_OK or an error code;
// carousel_last_error() has the message. The last parameter receives the
// result, and is unchanged on failure. Each kind of handle has a function that
// frees it, and that accepts null. A kernel keeps its context and package
// alive, a launch its kernel, a buffer its context. Any thread may call any
// function; a handle must not be freed while another thread uses it.
//
// Numbers, members and the meaning of functions don't change within a major
// version, which is part of the library's file name. Structs with a member
// `size` may grow at their end. The library reads and writes `size` bytes of
// them, whichever header its caller was compiled with. Members beyond that
// count as 0, or as carousel_context_options_init sets them. Nothing throws;
// the process ends if host memory runs out.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_H
#define CAROUSEL_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#ifdef CAROUSEL_RUNTIME_BUILDING
#define CAROUSEL_RUNTIME_API __attribute__((visibility("default")))
#else
#define CAROUSEL_RUNTIME_API
#endif

#ifdef __cplusplus
#define CAROUSEL_RUNTIME_NOEXCEPT noexcept
extern "C" {
#else
#define CAROUSEL_RUNTIME_NOEXCEPT
#endif

// Increases with each addition to this file.
#define CAROUSEL_RUNTIME_VERSION 9
// The version of the library. It has all functions of headers with the same or
// a lower number.
CAROUSEL_RUNTIME_API uint32_t carousel_runtime_version(void)
    CAROUSEL_RUNTIME_NOEXCEPT;

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

typedef int32_t carousel_status;
enum {
  CAROUSEL_OK = 0,
  CAROUSEL_INVALID_ARGUMENT = 1,    // of the call, or of the kernel
  CAROUSEL_INVALID_PACKAGE = 2,     // a manifest or a file of a package
  CAROUSEL_UNSUPPORTED_VERSION = 3, // newer than this library
  CAROUSEL_NOT_FOUND = 4,           // no such kernel, file or device
  CAROUSEL_NO_VARIANT = 5,          // no variant's guards hold
  CAROUSEL_NO_LIBRARY = 6,          // driver or another library missing
  CAROUSEL_DRIVER_ERROR = 7,        // a driver call failed
  CAROUSEL_COMPILE_ERROR = 8,       // PTX or CUDA C++ that didn't compile
  CAROUSEL_LAUNCH_FAILED = 9,       // a kernel launched earlier failed
  CAROUSEL_IO_ERROR = 10,           // the file system
  CAROUSEL_OUT_OF_MEMORY = 11,      // a driver or a compiler has none left
  CAROUSEL_CONTEXT_LOST = 12,       // unusable from now on, or after a fork
  CAROUSEL_PEER_LOST = 13,          // another rank ended; since version 5
  CAROUSEL_TIMEOUT = 14             // of a wait for another rank; the same
};

// The message of this thread's last call that failed: one line, the rule and
// the value found. Valid until the next call fails. Never null.
CAROUSEL_RUNTIME_API const char *
carousel_last_error(void) CAROUSEL_RUNTIME_NOEXCEPT;
// "invalid argument"; "ok".
CAROUSEL_RUNTIME_API const char *
carousel_status_name(carousel_status status) CAROUSEL_RUNTIME_NOEXCEPT;

//===----------------------------------------------------------------------===//
// Handles and types
//===----------------------------------------------------------------------===//

typedef struct carousel_context carousel_context;
typedef struct carousel_package carousel_package;
typedef struct carousel_kernel carousel_kernel;
typedef struct carousel_launch carousel_launch;
typedef struct carousel_buffer carousel_buffer;
typedef struct carousel_program carousel_program; // since version 4
typedef struct carousel_prepared_program
    carousel_prepared_program;                  // since version 4
typedef struct carousel_code carousel_code;     // since version 3
typedef struct carousel_module carousel_module; // since version 4

// A CUstream or cudaStream_t; null: the default stream.
typedef struct CUstream_st *carousel_stream;

typedef int32_t carousel_element;
enum {
  CAROUSEL_I1 = 1, // a byte, 0 or 1
  CAROUSEL_I8 = 2,
  CAROUSEL_I16 = 3,
  CAROUSEL_I32 = 4,
  CAROUSEL_I64 = 5,
  CAROUSEL_F16 = 6,
  CAROUSEL_BF16 = 7,
  CAROUSEL_F32 = 8,
  CAROUSEL_F64 = 9,
  CAROUSEL_F8E4M3FN = 10,
  CAROUSEL_F8E5M2 = 11,
  CAROUSEL_F8E8M0FNU = 12,
  CAROUSEL_INDEX = 13 // scalars only
};

typedef int32_t carousel_kind;
enum { CAROUSEL_TENSOR = 1, CAROUSEL_SCALAR = 2 };

typedef int32_t carousel_access;
enum { CAROUSEL_IN = 1, CAROUSEL_OUT = 2, CAROUSEL_INOUT = 3 };

// The GPUs that access a tensor during a launch. Since version 6.
typedef int32_t carousel_sharing;
enum {
  CAROUSEL_SHARING_NONE = 0,      // the launch's own
  CAROUSEL_SHARING_SYMMETRIC = 1, // peers too: this rank's part of a
                                  // carousel_symmetric
  CAROUSEL_SHARING_PEER = 2,      // a peer's part of one
  CAROUSEL_SHARING_MULTICAST = 3  // all parts of one, by a multicast address
};

enum { CAROUSEL_MAX_RANK = 8 };

// An argument of a launch. Owns no memory.
typedef struct carousel_argument {
  carousel_kind kind;
  carousel_element element;
  uint32_t rank;          // tensors: dimensions
  uint32_t reserved;      // 0
  uint64_t data;          // tensors: device address of the first element
  const int64_t *extents; // tensors: `rank`, in elements, outermost first
  const int64_t *strides; // tensors: `rank`, in elements; null: contiguous
  uint64_t value;         // scalars: the bytes; integers sign-extended
} carousel_argument;

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

typedef struct carousel_context_options {
  size_t size; // sizeof(carousel_context_options)
  int32_t device;
  int32_t blocking; // not 0: wait for the kernel after every launch
  // Names or paths of libraries; null: the default names.
  const char *driver;
  const char *nvrtc;
  const char *nvjitlink;
  // The cache of compiled code; null: $CAROUSEL_CACHE_DIR,
  // $XDG_CACHE_HOME/carousel or
  // ~/.cache/carousel.
  const char *cache_directory;
  uint64_t cache_bytes; // at most; 0: no cache on disk
  // Not 0: launches take any memory for arguments with a carousel_sharing, not
  // only that of symmetric buffers. Since version 6.
  int32_t trust_symmetric;
  int32_t reserved; // 0
} carousel_context_options;

// The default of `cache_bytes`: $CAROUSEL_CACHE_DISABLE and
// $CAROUSEL_CACHE_MAX_BYTES decide; their default is 1 GiB.
#define CAROUSEL_CACHE_BYTES_DEFAULT UINT64_MAX

// Sets `size` and the defaults. `size` is sizeof(carousel_context_options).
CAROUSEL_RUNTIME_API void
carousel_context_options_init(carousel_context_options *options,
                              size_t size) CAROUSEL_RUNTIME_NOEXCEPT;

typedef struct carousel_device_info {
  size_t size; // sizeof(carousel_device_info), set by the caller
  char name[256];
  int32_t ordinal;
  int32_t compute_capability; // 10 * major + minor
  int32_t multiprocessors;
  int32_t driver_version;        // of the CUDA API it has: 13000
  uint32_t max_shared_per_block; // bytes, after opting in
  uint64_t l2_bytes;
} carousel_device_info;

// `options` may be null: the defaults.
CAROUSEL_RUNTIME_API carousel_status
carousel_context_create(const carousel_context_options *options,
                        carousel_context **context) CAROUSEL_RUNTIME_NOEXCEPT;
CAROUSEL_RUNTIME_API void
carousel_context_destroy(carousel_context *context) CAROUSEL_RUNTIME_NOEXCEPT;
CAROUSEL_RUNTIME_API carousel_status
carousel_context_device(const carousel_context *context,
                        carousel_device_info *info) CAROUSEL_RUNTIME_NOEXCEPT;
// Waits for a stream. Reports earlier launches that failed, with their kernels'
// names.
CAROUSEL_RUNTIME_API carousel_status
carousel_context_synchronize(const carousel_context *context,
                             carousel_stream stream) CAROUSEL_RUNTIME_NOEXCEPT;
// Describes the waits that exceeded their bound, in kernels compiled with
// bounded waits; empty if there were none. The text is valid until the thread's
// next call of this function. Since version 2.
CAROUSEL_RUNTIME_API carousel_status
carousel_context_expired_waits(const carousel_context *context,
                               const char **text) CAROUSEL_RUNTIME_NOEXCEPT;

//===----------------------------------------------------------------------===//
// CUDA C++. Since version 3
//===----------------------------------------------------------------------===//

// A text, and its name in messages and in `#include`.
typedef struct carousel_source {
  const char *name; // "saxpy.cu"
  const char *text;
} carousel_source;

typedef int32_t carousel_code_kind;
enum { CAROUSEL_CUBIN = 1, CAROUSEL_PTX = 2, CAROUSEL_LTOIR = 3 };

// How to compile CUDA C++. With all members 0, it is C++17, and each operation
// rounds as IEEE 754 requires.
typedef struct carousel_compile_options {
  size_t size;                    // sizeof(carousel_compile_options)
  carousel_code_kind kind;        // 0: CAROUSEL_CUBIN
  int32_t line_info;              // not 0: lines for debuggers and profilers
  int32_t fast_math;              // not 0: as nvcc's --use_fast_math
  const char *chip;               // "sm_90a"; null: the context's device
  const carousel_source *headers; // for #include, before Carousel's own
  size_t header_count;
  const char *const *more; // options of NVRTC, after those of this struct
  size_t more_count;
} carousel_compile_options;

typedef int32_t carousel_severity;
enum { CAROUSEL_ERROR = 1, CAROUSEL_WARNING = 2, CAROUSEL_NOTE = 3 };

// A diagnostic of the compiler. Strings that it didn't give are empty.
typedef struct carousel_message {
  size_t size; // sizeof(carousel_message), set by the caller
  carousel_severity severity;
  uint32_t line;        // from 1; 0 where it names none
  const char *file;     // as #line has it
  const char *function; // that it is about, or that the line lies in
  const char *text;
  const char *source; // the line of code
} carousel_message;

// Compiles with NVRTC. If `context` is null, no driver is needed, the libraries
// and the cache are the default ones, and `options` must name a chip. Otherwise
// `options` may be null.
CAROUSEL_RUNTIME_API carousel_status
carousel_compile(const carousel_context *context, const carousel_source *source,
                 const carousel_compile_options *options,
                 carousel_code **code) CAROUSEL_RUNTIME_NOEXCEPT;
CAROUSEL_RUNTIME_API void
carousel_code_release(carousel_code *code) CAROUSEL_RUNTIME_NOEXCEPT;
// Valid as long as the code. After its last byte, PTX has a null.
CAROUSEL_RUNTIME_API carousel_status
carousel_code_contents(const carousel_code *code, const void **data,
                       size_t *bytes) CAROUSEL_RUNTIME_NOEXCEPT;
// The diagnostics of this thread's last carousel_compile, whether it failed or
// not. Texts are valid until the next one.
CAROUSEL_RUNTIME_API size_t carousel_message_count(void)
    CAROUSEL_RUNTIME_NOEXCEPT;
CAROUSEL_RUNTIME_API carousel_status carousel_message_get(
    size_t number, carousel_message *message) CAROUSEL_RUNTIME_NOEXCEPT;

// How to launch a kernel, x first. A cluster of 0 means none.
typedef struct carousel_launch_shape {
  size_t size; // sizeof(carousel_launch_shape)
  uint32_t grid[3], block[3], cluster[3];
  uint32_t dynamic_shared; // bytes
} carousel_launch_shape;

// Loads a cubin or PTX. It must outlive all launches of its kernels.
CAROUSEL_RUNTIME_API carousel_status
carousel_module_load(const carousel_context *context, const carousel_code *code,
                     carousel_module **module) CAROUSEL_RUNTIME_NOEXCEPT;
CAROUSEL_RUNTIME_API void
carousel_module_release(carousel_module *module) CAROUSEL_RUNTIME_NOEXCEPT;
// Launches an extern "C" function. `parameters` holds a pointer to the value of
// each parameter. The library doesn't know their types, so it checks nothing.
CAROUSEL_RUNTIME_API carousel_status carousel_module_launch(
    const carousel_module *module, const char *kernel,
    const carousel_launch_shape *shape, void *const *parameters,
    carousel_stream stream) CAROUSEL_RUNTIME_NOEXCEPT;

//===----------------------------------------------------------------------===//
// Packages
//===----------------------------------------------------------------------===//

// An extent or a stride that the caller gives.
#define CAROUSEL_DYNAMIC INT64_MIN

typedef struct carousel_argument_info {
  size_t size;      // sizeof(carousel_argument_info), set by the caller
  const char *name; // lives as long as the package
  carousel_kind kind;
  carousel_access access;
  carousel_element element;
  uint32_t rank;
  int32_t contiguous; // not 0: strides follow from the extents
  int64_t extents[CAROUSEL_MAX_RANK];
  int64_t strides[CAROUSEL_MAX_RANK]; // 0 where contiguous
  carousel_sharing sharing;           // since version 6
  int32_t reserved;                   // 0
} carousel_argument_info;

// Reads a package directory. Needs no driver.
CAROUSEL_RUNTIME_API carousel_status
carousel_package_open(const char *directory,
                      carousel_package **package) CAROUSEL_RUNTIME_NOEXCEPT;
CAROUSEL_RUNTIME_API void
carousel_package_close(carousel_package *package) CAROUSEL_RUNTIME_NOEXCEPT;
// Calls `use` with each file that was read and checked: with the manifest, and
// with those that it names, some of them several times. `name` and `data` are
// valid as long as the package; `data` is null for constants, which are read
// when they are needed. Since version 7.
typedef void (*carousel_use_file)(void *user, const char *name,
                                  const void *data, uint64_t bytes);
CAROUSEL_RUNTIME_API carousel_status
carousel_package_files(const carousel_package *package, carousel_use_file use,
                       void *user) CAROUSEL_RUNTIME_NOEXCEPT;
// Reads the constants, of `bytes` as the manifest says, and checks their hash.
// `to` may be written in part if they can't be read. Since version 7.
CAROUSEL_RUNTIME_API carousel_status
carousel_package_read_constants(const carousel_package *package, void *to,
                                uint64_t bytes) CAROUSEL_RUNTIME_NOEXCEPT;
CAROUSEL_RUNTIME_API carousel_status carousel_package_kernel_count(
    const carousel_package *package, size_t *count) CAROUSEL_RUNTIME_NOEXCEPT;
// Names are valid as long as the package.
CAROUSEL_RUNTIME_API carousel_status
carousel_package_kernel_name(const carousel_package *package, size_t kernel,
                             const char **name) CAROUSEL_RUNTIME_NOEXCEPT;
// The arguments that callers pass, without workspaces.
CAROUSEL_RUNTIME_API carousel_status
carousel_package_argument_count(const carousel_package *package, size_t kernel,
                                size_t *count) CAROUSEL_RUNTIME_NOEXCEPT;
CAROUSEL_RUNTIME_API carousel_status carousel_package_argument(
    const carousel_package *package, size_t kernel, size_t argument,
    carousel_argument_info *info) CAROUSEL_RUNTIME_NOEXCEPT;

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

// Loads nothing onto the device.
CAROUSEL_RUNTIME_API carousel_status carousel_kernel_get(
    const carousel_context *context, const carousel_package *package,
    const char *name, carousel_kernel **kernel) CAROUSEL_RUNTIME_NOEXCEPT;

// The images of a package to use.
typedef int32_t carousel_via;
enum {
  CAROUSEL_VIA_ANY = 0,  // the first that works: a cubin, PTX, CUDA C++
  CAROUSEL_VIA_PTX = 1,  // PTX, or the cubin that was made of it
  CAROUSEL_VIA_CUDA = 2, // CUDA C++, by NVRTC
};

// How to compile the modules of a kernel. Since version 3.
typedef struct carousel_load_options {
  size_t size; // sizeof(carousel_load_options)
  carousel_via via;
  // CUDA C++ that defines the functions that the package only declares.
  const carousel_source *sources;
  size_t source_count;
  // For `sources` and the package's CUDA C++; null: the defaults. `kind` and
  // `chip` must be 0.
  const carousel_compile_options *compile;
} carousel_load_options;

// carousel_kernel_get with options. Kernels with equal options share their
// modules. Since version 3.
CAROUSEL_RUNTIME_API carousel_status carousel_kernel_get_with(
    const carousel_context *context, const carousel_package *package,
    const char *name, const carousel_load_options *options,
    carousel_kernel **kernel) CAROUSEL_RUNTIME_NOEXCEPT;
CAROUSEL_RUNTIME_API void
carousel_kernel_release(carousel_kernel *kernel) CAROUSEL_RUNTIME_NOEXCEPT;
// Compiles and loads every variant that the device can run. Required before a
// launch into a stream that is being captured.
CAROUSEL_RUNTIME_API carousel_status carousel_kernel_load_all(
    const carousel_kernel *kernel) CAROUSEL_RUNTIME_NOEXCEPT;
// Launches a variant that accepts the arguments: by their times where the
// package has some, else the first.
CAROUSEL_RUNTIME_API carousel_status carousel_kernel_launch(
    const carousel_kernel *kernel, const carousel_argument *arguments,
    size_t count, carousel_stream stream) CAROUSEL_RUNTIME_NOEXCEPT;
// A line for each variant: "copy_1d: accepted", "copy_2d: refused: expected
// ..., got ...". Where the package has them, times follow: "copy_1d: accepted,
// predicted 5.00 us, measured 4.20 us, chosen by measurement". A launch runs
// the chosen one, or else the first accepted one. The text is valid until the
// thread's next call of this function.
CAROUSEL_RUNTIME_API carousel_status carousel_kernel_explain(
    const carousel_kernel *kernel, const carousel_argument *arguments,
    size_t count, const char **text) CAROUSEL_RUNTIME_NOEXCEPT;
// Prepares a launch, to run any number of times. `variant` is the function of
// one variant, or null: the one that a launch chooses.
CAROUSEL_RUNTIME_API carousel_status
carousel_kernel_prepare(const carousel_kernel *kernel, const char *variant,
                        const carousel_argument *arguments, size_t count,
                        carousel_launch **launch) CAROUSEL_RUNTIME_NOEXCEPT;

// A launch with workspaces must use the same stream in all runs.
CAROUSEL_RUNTIME_API carousel_status
carousel_launch_run(const carousel_launch *launch,
                    carousel_stream stream) CAROUSEL_RUNTIME_NOEXCEPT;
// The function that it runs. Valid as long as the launch.
CAROUSEL_RUNTIME_API carousel_status
carousel_launch_variant(const carousel_launch *launch,
                        const char **function) CAROUSEL_RUNTIME_NOEXCEPT;
// Blocks in x, y and z.
CAROUSEL_RUNTIME_API carousel_status carousel_launch_grid(
    const carousel_launch *launch, uint32_t grid[3]) CAROUSEL_RUNTIME_NOEXCEPT;
CAROUSEL_RUNTIME_API void
carousel_launch_release(carousel_launch *launch) CAROUSEL_RUNTIME_NOEXCEPT;

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

// Several kernels of a package, with memory of their own between them, which
// run one after the other in one stream. Since version 4.

CAROUSEL_RUNTIME_API carousel_status carousel_package_program_count(
    const carousel_package *package, size_t *count) CAROUSEL_RUNTIME_NOEXCEPT;
CAROUSEL_RUNTIME_API carousel_status
carousel_package_program_name(const carousel_package *package, size_t program,
                              const char **name) CAROUSEL_RUNTIME_NOEXCEPT;
// The arguments that callers pass, without workspaces.
CAROUSEL_RUNTIME_API carousel_status carousel_package_program_argument_count(
    const carousel_package *package, size_t program,
    size_t *count) CAROUSEL_RUNTIME_NOEXCEPT;
CAROUSEL_RUNTIME_API carousel_status carousel_package_program_argument(
    const carousel_package *package, size_t program, size_t argument,
    carousel_argument_info *info) CAROUSEL_RUNTIME_NOEXCEPT;

// Uploads constants. Loads no code onto the device.
CAROUSEL_RUNTIME_API carousel_status carousel_program_get(
    const carousel_context *context, const carousel_package *package,
    const char *name, carousel_program **program) CAROUSEL_RUNTIME_NOEXCEPT;
CAROUSEL_RUNTIME_API void
carousel_program_release(carousel_program *program) CAROUSEL_RUNTIME_NOEXCEPT;
CAROUSEL_RUNTIME_API carousel_status carousel_program_load_all(
    const carousel_program *program) CAROUSEL_RUNTIME_NOEXCEPT;
// Starts all steps. Required once, with these extents, strides and alignments,
// before a launch into a stream that is being captured.
CAROUSEL_RUNTIME_API carousel_status carousel_program_launch(
    const carousel_program *program, const carousel_argument *arguments,
    size_t count, carousel_stream stream) CAROUSEL_RUNTIME_NOEXCEPT;
// Starts the steps of this launch that depend on parameters and constants only,
// and keeps what they write in the stream's memory: later launches in the
// stream skip them. To be called again once elements of a parameter have
// changed. Launches in the stream are errors then with parameters that are
// other memory than here, and so is this call for a stream that is being
// captured. Since version 8.
CAROUSEL_RUNTIME_API carousel_status carousel_program_load_parameters(
    const carousel_program *program, const carousel_argument *arguments,
    size_t count, carousel_stream stream) CAROUSEL_RUNTIME_NOEXCEPT;
// Prepares a launch, to run any number of times in one stream, with memory of
// its own. A stream may record it at once.
CAROUSEL_RUNTIME_API carousel_status carousel_program_prepare(
    const carousel_program *program, const carousel_argument *arguments,
    size_t count,
    carousel_prepared_program **prepared) CAROUSEL_RUNTIME_NOEXCEPT;
CAROUSEL_RUNTIME_API carousel_status
carousel_prepared_program_run(const carousel_prepared_program *prepared,
                              carousel_stream stream) CAROUSEL_RUNTIME_NOEXCEPT;
// The same, in memory of the prepared launch. Since version 8.
CAROUSEL_RUNTIME_API carousel_status carousel_prepared_program_load_parameters(
    const carousel_prepared_program *prepared,
    carousel_stream stream) CAROUSEL_RUNTIME_NOEXCEPT;
CAROUSEL_RUNTIME_API void carousel_prepared_program_release(
    carousel_prepared_program *prepared) CAROUSEL_RUNTIME_NOEXCEPT;

//===----------------------------------------------------------------------===//
// Device memory
//===----------------------------------------------------------------------===//

CAROUSEL_RUNTIME_API carousel_status
carousel_buffer_allocate(const carousel_context *context, uint64_t bytes,
                         carousel_buffer **buffer) CAROUSEL_RUNTIME_NOEXCEPT;
CAROUSEL_RUNTIME_API void
carousel_buffer_free(carousel_buffer *buffer) CAROUSEL_RUNTIME_NOEXCEPT;
CAROUSEL_RUNTIME_API carousel_status carousel_buffer_address(
    const carousel_buffer *buffer, uint64_t *address) CAROUSEL_RUNTIME_NOEXCEPT;
CAROUSEL_RUNTIME_API carousel_status carousel_buffer_bytes(
    const carousel_buffer *buffer, uint64_t *bytes) CAROUSEL_RUNTIME_NOEXCEPT;
// Copies `count` bytes on a stream. Host memory must stay valid until the copy
// is complete.
CAROUSEL_RUNTIME_API carousel_status carousel_buffer_upload(
    carousel_buffer *buffer, const void *host, uint64_t count, uint64_t offset,
    carousel_stream stream) CAROUSEL_RUNTIME_NOEXCEPT;
CAROUSEL_RUNTIME_API carousel_status carousel_buffer_download(
    const carousel_buffer *buffer, void *host, uint64_t count, uint64_t offset,
    carousel_stream stream) CAROUSEL_RUNTIME_NOEXCEPT;
// Sets every byte.
CAROUSEL_RUNTIME_API carousel_status
carousel_buffer_fill(carousel_buffer *buffer, uint8_t value,
                     carousel_stream stream) CAROUSEL_RUNTIME_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#include "carousel_tensor_map.h"

#endif // CAROUSEL_RUNTIME_H
