//===- Compiler.h - the compiler's C interface ------------------*- C -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles MLIR to packages in memory, runs passes on it, and runs its kernels
// on the simulated machine. docs/CompilerC.md explains it. For C11 and later
// and any C++.
//
// Functions that can fail return a status. carousel_compiler_last_error() has
// the message of this thread's last failure. A module that is wrong is no
// failure of the call: its result has the diagnostics. The last parameter
// receives what a function makes, and is unchanged if the function fails.
//
// Numbers, members and the meaning of functions don't change within a major
// version, which is part of the library's file name. Structs with a member
// `size` may grow at their end. The caller sets `size` to the struct's size in
// its header; carousel_*_options_init does so for options. Any thread may call
// any function. Calls with the same compiler wait for each other. A callback
// must not use the compiler of the call that runs it, which is refused with
// CAROUSEL_COMPILER_INVALID_ARGUMENT, nor wait for a thread that uses it.
// Nothing throws; the process ends if host memory runs out.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_C_COMPILER_H
#define CAROUSEL_C_COMPILER_H

#include <stddef.h>
#include <stdint.h>

#ifdef CAROUSEL_COMPILER_BUILDING
#define CAROUSEL_COMPILER_API __attribute__((visibility("default")))
#else
#define CAROUSEL_COMPILER_API
#endif

#ifdef __cplusplus
#define CAROUSEL_COMPILER_NOEXCEPT noexcept
extern "C" {
#else
#define CAROUSEL_COMPILER_NOEXCEPT
#endif

// Increases with each addition to this file.
#define CAROUSEL_COMPILER_VERSION 4
// The version of the library. It has all functions of headers with the same or
// a lower number.
CAROUSEL_COMPILER_API uint32_t carousel_compiler_version(void)
    CAROUSEL_COMPILER_NOEXCEPT;
// The releases of Carousel and of LLVM: "0.1.0", "22.1.0".
CAROUSEL_COMPILER_API const char *
carousel_compiler_release(void) CAROUSEL_COMPILER_NOEXCEPT;
CAROUSEL_COMPILER_API const char *
carousel_compiler_llvm_release(void) CAROUSEL_COMPILER_NOEXCEPT;

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

typedef int32_t carousel_compiler_status;
enum {
  CAROUSEL_COMPILER_OK = 0,
  CAROUSEL_COMPILER_INVALID_ARGUMENT = 1,    // of the call
  CAROUSEL_COMPILER_UNSUPPORTED_VERSION = 2, // a member of a newer header
  CAROUSEL_COMPILER_NOT_FOUND = 3,           // no such kernel, file or entry
  CAROUSEL_COMPILER_IO_ERROR = 4,            // the file system
  CAROUSEL_COMPILER_OTHER_PROCESS = 5,       // what began before a fork
  CAROUSEL_COMPILER_STOPPED = 6              // by a callback of the caller
};

// The message of this thread's last call that failed: one line, the rule and
// the value found. Valid until the next call fails. Never null.
CAROUSEL_COMPILER_API const char *
carousel_compiler_last_error(void) CAROUSEL_COMPILER_NOEXCEPT;

//===----------------------------------------------------------------------===//
// Compilers and sources
//===----------------------------------------------------------------------===//

// Keeps what one compilation prepares for the next one. It must not be used
// after a fork in the child.
typedef struct carousel_compiler carousel_compiler;

CAROUSEL_COMPILER_API carousel_compiler_status carousel_compiler_create(
    carousel_compiler **compiler) CAROUSEL_COMPILER_NOEXCEPT;
// Accepts null. Results outlive their compiler.
CAROUSEL_COMPILER_API void carousel_compiler_destroy(
    carousel_compiler *compiler) CAROUSEL_COMPILER_NOEXCEPT;
// 0 if the next call would fail: after a fork in the child, and if a call that
// was stopped still works with it. From version 4 on.
CAROUSEL_COMPILER_API int32_t carousel_compiler_is_usable(
    const carousel_compiler *compiler) CAROUSEL_COMPILER_NOEXCEPT;

// MLIR as text or as bytecode.
typedef struct carousel_compiler_source {
  const char *name; // the file's name in locations: "softmax.mlir"
  const char *data;
  size_t bytes;
} carousel_compiler_source;

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

// The results of a source: diagnostics, and where there are no errors among
// them files, texts, or findings. Results don't change, and any number of
// threads may read one.
typedef struct carousel_compiler_result carousel_compiler_result;

// Accepts null.
CAROUSEL_COMPILER_API void carousel_compiler_result_free(
    carousel_compiler_result *result) CAROUSEL_COMPILER_NOEXCEPT;
// Not 0: there are no errors among the diagnostics.
CAROUSEL_COMPILER_API int32_t carousel_compiler_result_succeeded(
    const carousel_compiler_result *result) CAROUSEL_COMPILER_NOEXCEPT;

typedef int32_t carousel_compiler_severity;
enum {
  CAROUSEL_COMPILER_ERROR = 1,
  CAROUSEL_COMPILER_WARNING = 2,
  CAROUSEL_COMPILER_NOTE = 3, // on the closest diagnostic before it
  CAROUSEL_COMPILER_REMARK = 4
};

// Strings are valid as long as the result, and empty where there is nothing.
typedef struct carousel_compiler_diagnostic {
  size_t size; // sizeof(carousel_compiler_diagnostic), set by the caller
  carousel_compiler_severity severity;
  uint32_t line, column; // from 1; 0 where it is about no place
  uint32_t reserved;
  const char *file;
  const char *message;
  const char *source; // the line of the source
} carousel_compiler_diagnostic;

CAROUSEL_COMPILER_API size_t carousel_compiler_result_diagnostic_count(
    const carousel_compiler_result *result) CAROUSEL_COMPILER_NOEXCEPT;
CAROUSEL_COMPILER_API carousel_compiler_status
carousel_compiler_result_diagnostic(
    const carousel_compiler_result *result, size_t number,
    carousel_compiler_diagnostic *diagnostic) CAROUSEL_COMPILER_NOEXCEPT;

// The files of a package, manifest.json among them. Valid as long as the
// result. After its last byte, a file has a null.
CAROUSEL_COMPILER_API size_t carousel_compiler_result_file_count(
    const carousel_compiler_result *result) CAROUSEL_COMPILER_NOEXCEPT;
CAROUSEL_COMPILER_API carousel_compiler_status carousel_compiler_result_file(
    const carousel_compiler_result *result, size_t number, const char **name,
    const char **data, size_t *bytes) CAROUSEL_COMPILER_NOEXCEPT;
// Writes the files to a directory, all or none, and replaces an older package,
// as carousel-compile does.
CAROUSEL_COMPILER_API carousel_compiler_status carousel_compiler_result_write(
    const carousel_compiler_result *result,
    const char *directory) CAROUSEL_COMPILER_NOEXCEPT;

typedef int32_t carousel_compiler_text;
enum {
  CAROUSEL_COMPILER_DECISIONS_JSON = 1, // of a compilation: --explain=json
  CAROUSEL_COMPILER_DECISIONS = 2,      // --explain
  CAROUSEL_COMPILER_SUMMARY = 3,        // what the tool prints without options
  CAROUSEL_COMPILER_GRAPHS_SVG = 4,     // --explain=svg
  CAROUSEL_COMPILER_MODULE = 5,         // of passes: the module
  CAROUSEL_COMPILER_TRACE = 6,          // of a simulation: Chrome trace JSON
  CAROUSEL_COMPILER_RECORD = 7,         // the schedule, to replay
  CAROUSEL_COMPILER_FINDINGS = 8,       // as carousel-sim prints them
  CAROUSEL_COMPILER_SHARED_ACCESSES = 9 // JSON, with bank_conflicts
};

// A text of the result. Fails where the result has none of this kind. Valid as
// long as the result, with a null after its last byte.
CAROUSEL_COMPILER_API carousel_compiler_status carousel_compiler_result_text(
    const carousel_compiler_result *result, carousel_compiler_text kind,
    const char **text, size_t *bytes) CAROUSEL_COMPILER_NOEXCEPT;

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

typedef int32_t carousel_compiler_cubins;
enum {
  CAROUSEL_COMPILER_CUBINS_AUTO = 0,    // if there is an assembler
  CAROUSEL_COMPILER_CUBINS_NEVER = 1,   // PTX only
  CAROUSEL_COMPILER_CUBINS_REQUIRED = 2 // no assembler is an error
};

typedef int32_t carousel_compiler_assembler;
enum {
  CAROUSEL_COMPILER_ASSEMBLER_AUTO = 0,
  CAROUSEL_COMPILER_ASSEMBLER_LIBRARY = 1, // NVIDIA's library, if built in
  CAROUSEL_COMPILER_ASSEMBLER_PTXAS = 2    // the program of cuda_root
};

// Called before each part of a compilation, on the thread of the call.
typedef void (*carousel_compiler_progress)(void *data, size_t number,
                                           size_t count, const char *module,
                                           const char *chip);

// Called every few milliseconds on the thread of the call, while another one
// works. If it returns anything but 0, the call ends with
// CAROUSEL_COMPILER_STOPPED once the pass that runs has ended.
typedef int32_t (*carousel_compiler_is_cancelled)(void *data);

// The options of carousel-compile, by the same names. docs/Package.md explains
// them.
typedef struct carousel_compile_source_options {
  size_t size;              // sizeof(carousel_compile_source_options)
  const char *const *chips; // at least one
  size_t chip_count;
  const char *const *gpus;
  size_t gpu_count;
  const char *const *werror; // "pipeline", "tensor-cores", "alignment",
                             // "spills"
  size_t werror_count;
  const char *cuda_root;  // null or "": ptxas of the PATH, and no libdevice
  const char *accumulate; // "f32" or "as-written"
  const char *products;   // "exact" or "tf32"
  int32_t ptx_version;    // 86 is 8.6; 0: the default
  int32_t index_bitwidth; // 32 or 64
  int32_t opt_level;      // 0 to 3
  int32_t debug_waits;    // milliseconds; 0: waits are unbounded
  carousel_compiler_cubins cubins;
  carousel_compiler_assembler assembler;
  int32_t ptx, cuda;        // images to make; not 0: yes
  int32_t line_directives;  // in CUDA C++
  int32_t warnings;         // requests that aren't honoured, and what is slow
  int32_t first_variant;    // not 0: no other variants than the first
  int32_t libraries;        // not 0: cuBLASLt may compute products of graphs
  int32_t streams;          // not 0: products and softmax in one pass
  int32_t debug_assertions; // not 0: kernels check indices, and keep cf.assert
  carousel_compiler_progress progress; // may be null
  void *progress_data;
  carousel_compiler_is_cancelled is_cancelled; // may be null; from version 2 on
  void *cancel_data;
} carousel_compile_source_options;

// Sets `size` and the defaults of carousel-compile, but no chip. `size` is
// sizeof(carousel_compile_source_options).
CAROUSEL_COMPILER_API void
carousel_compile_source_options_init(carousel_compile_source_options *options,
                                     size_t size) CAROUSEL_COMPILER_NOEXCEPT;

// Compiles kernels and graphs to a package in memory.
CAROUSEL_COMPILER_API carousel_compiler_status carousel_compile_source(
    carousel_compiler *compiler, const carousel_compiler_source *source,
    const carousel_compile_source_options *options,
    carousel_compiler_result **result) CAROUSEL_COMPILER_NOEXCEPT;

// Runs a pipeline of passes, as carousel-opt --pass-pipeline does, of
// Carousel's passes and pipelines and MLIR's general ones:
// "builtin.module(carousel-lower{chip=sm_90a})". Null or "": parses and
// verifies only. The result has the module.
CAROUSEL_COMPILER_API carousel_compiler_status carousel_run_passes(
    carousel_compiler *compiler, const carousel_compiler_source *source,
    const char *pipeline,
    carousel_compiler_result **result) CAROUSEL_COMPILER_NOEXCEPT;

// The same, with an early end; from version 3 on.
typedef struct carousel_transform_source_options {
  size_t size;          // sizeof(carousel_transform_source_options)
  const char *pipeline; // null or "": none
  carousel_compiler_is_cancelled is_cancelled; // may be null
  void *cancel_data;
  int32_t locations; // print them with the module; from version 4 on
} carousel_transform_source_options;

CAROUSEL_COMPILER_API void carousel_transform_source_options_init(
    carousel_transform_source_options *options,
    size_t size) CAROUSEL_COMPILER_NOEXCEPT;

CAROUSEL_COMPILER_API carousel_compiler_status carousel_transform_source(
    carousel_compiler *compiler, const carousel_compiler_source *source,
    const carousel_transform_source_options *options,
    carousel_compiler_result **result) CAROUSEL_COMPILER_NOEXCEPT;

//===----------------------------------------------------------------------===//
// Simulation
//===----------------------------------------------------------------------===//

typedef int32_t carousel_host_kind;
enum {
  CAROUSEL_HOST_ARRAY = 0,
  CAROUSEL_HOST_BITS = 1,    // a scalar: `value` has the bits of its type
  CAROUSEL_HOST_INTEGER = 2, // a scalar: `value` is an int64_t to convert
  CAROUSEL_HOST_DOUBLE = 3,  // a scalar: `value` has a double to convert
  // The same; it is an error if the type rounds the number.
  CAROUSEL_HOST_EXACT_INTEGER = 4,
  CAROUSEL_HOST_EXACT_DOUBLE = 5,
  CAROUSEL_HOST_UNSIGNED = 6, // a scalar: `value` is a uint64_t to convert
  CAROUSEL_HOST_EXACT_UNSIGNED = 7
};

typedef int32_t carousel_host_contents;
enum {
  CAROUSEL_HOST_WRITTEN = 0,
  CAROUSEL_HOST_UNWRITTEN = 1,  // reads before a write are findings
  CAROUSEL_HOST_AS_DECLARED = 2 // unwritten where the kernel declares it `out`
};

// An argument of the kernel, in memory of the host.
typedef struct carousel_host_argument {
  const char *name;    // of the kernel's argument
  const char *element; // of arrays and bits, as MLIR prints the type: "f32"
  uint32_t rank;
  carousel_host_kind kind;
  carousel_host_contents contents;
  int32_t is_read_only;   // not 0: an error where the kernel writes it
  void *data;             // the first element
  const int64_t *extents; // `rank`, in elements, outermost first
  const int64_t *strides; // `rank`, in elements, not negative; null: contiguous
  uint64_t value;         // of scalars
} carousel_host_argument;

// Called before each schedule, on the thread of the call. If it returns a
// number other than 0, the call ends with CAROUSEL_COMPILER_STOPPED.
typedef int32_t (*carousel_schedule_progress)(void *data, uint64_t schedule,
                                              uint64_t count);

// The options of carousel-sim, by the same names. docs/Simulator.md explains
// them.
typedef struct carousel_simulate_source_options {
  size_t size;          // sizeof(carousel_simulate_source_options)
  const char *kernel;   // "k", "module::k"; null: the only one
  const char *program;  // a program that passes make of a graph; null: none
  const char *pipeline; // passes to run first; null: none
  const char *const *policies; // null: "random"
  size_t policy_count;
  uint64_t seed;
  uint64_t schedules; // for each policy, one seed after the other
  const char *replay; // a record to replay instead; null: none
  size_t replay_bytes;
  uint32_t grid[3], block[3], cluster[3]; // 0: as carousel.launch says
  uint32_t multiprocessors;
  uint32_t resident; // CTAs on a multiprocessor; 0: as many as fit
  uint32_t traced_ctas;
  const char *chip;
  uint64_t step_limit;
  uint32_t finding_limit;
  int32_t strict;
  int32_t trace, record, bank_conflicts; // texts to make; not 0: yes
  int32_t reserved;                      // 0
  carousel_schedule_progress progress;   // may be null
  void *progress_data;
  carousel_compiler_is_cancelled is_cancelled; // may be null; from version 2 on
  void *cancel_data;
  // PTX with the code of the kernel, whose arguments and launch the source
  // describes, as --ptx; null: the source's own code.
  const carousel_compiler_source *ptx;
  // The source is PTX, and its kernel has these parameters, as --parameters;
  // null: the source is MLIR.
  const char *parameters;
  // Facts of a kernel with `parameters`; not 0: yes.
  int32_t starts_in_order, coresident;
} carousel_simulate_source_options;

// Sets `size` and the defaults of carousel-sim. `size` is
// sizeof(carousel_simulate_source_options).
CAROUSEL_COMPILER_API void
carousel_simulate_source_options_init(carousel_simulate_source_options *options,
                                      size_t size) CAROUSEL_COMPILER_NOEXCEPT;

// Runs a kernel on arrays, with one schedule after the other until one has
// findings. Each schedule starts from the arrays' contents. They then hold
// what the last schedule left. Each argument must be given once, in any order;
// workspaces are not given. Arguments may share memory.
CAROUSEL_COMPILER_API carousel_compiler_status carousel_simulate_source(
    carousel_compiler *compiler, const carousel_compiler_source *source,
    const carousel_simulate_source_options *options,
    const carousel_host_argument *arguments, size_t count,
    carousel_compiler_result **result) CAROUSEL_COMPILER_NOEXCEPT;

typedef int32_t carousel_run_status;
enum {
  CAROUSEL_RUN_FINISHED = 0,
  CAROUSEL_RUN_DEADLOCK = 1,
  CAROUSEL_RUN_STEP_LIMIT = 2,
  CAROUSEL_RUN_ABORTED = 3 // at the limit of findings, or after a fault
};

// The last schedule that ran.
typedef struct carousel_simulated_run {
  size_t size; // sizeof(carousel_simulated_run), set by the caller
  carousel_run_status status;
  uint32_t reserved;
  const char *kernel; // "module::k"
  const char *policy; // empty after a replay
  uint64_t seed;
  uint64_t schedules_run;
  uint64_t threads, steps, transfers, transferred_bytes;
  uint64_t read_bytes, written_bytes, operand_bytes, cycles, expired_waits;
} carousel_simulated_run;

// Fails where the result is of no simulation.
CAROUSEL_COMPILER_API carousel_compiler_status carousel_compiler_result_run(
    const carousel_compiler_result *result,
    carousel_simulated_run *run) CAROUSEL_COMPILER_NOEXCEPT;

// A thread, or an operation that it issued. Strings as in a diagnostic.
typedef struct carousel_finding_actor {
  uint32_t cta, thread;
  const char *operation; // "tensor.load"; empty: the thread itself
  const char *location;  // "kernel.mlir:12:5"
} carousel_finding_actor;

// docs/Findings.md explains the kinds.
typedef struct carousel_finding {
  size_t size;         // sizeof(carousel_finding), set by the caller
  const char *kind;    // "data-race"
  const char *message; // one line
  carousel_finding_actor actor;
  int32_t has_other;
  int32_t has_slot;
  carousel_finding_actor other; // of a race, the other side
  const char *buffer;           // or a barrier
  uint64_t slot;
  uint64_t begin_byte, end_byte; // within the buffer
  uint64_t count;                // how often it was found in the run
  const char *notes;             // lines
  const char *text;              // all of it, as carousel-sim prints it
} carousel_finding;

CAROUSEL_COMPILER_API size_t carousel_compiler_result_finding_count(
    const carousel_compiler_result *result) CAROUSEL_COMPILER_NOEXCEPT;
CAROUSEL_COMPILER_API carousel_compiler_status carousel_compiler_result_finding(
    const carousel_compiler_result *result, size_t number,
    carousel_finding *finding) CAROUSEL_COMPILER_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif // CAROUSEL_C_COMPILER_H
