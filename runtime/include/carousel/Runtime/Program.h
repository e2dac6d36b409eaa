//===- Program.h - programs of packages -------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program of a package in a context: several kernels, fills and copies that
// run one after the other in one stream, with memory of their own between them
// (docs/Runtime.md, Programs). The last Program or PreparedProgram frees its
// memory and code. So these must outlive the launches that they made, and
// graphs that captured them.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_PROGRAM_H
#define CAROUSEL_RUNTIME_PROGRAM_H

#include "carousel/Runtime/Kernel.h"

namespace carousel::runtime {

/// Runs a program on its arguments, with memory of its own, any number of
/// times, always in the same stream, while the arguments' memory exists.
class PreparedProgram {
public:
  /// Starts all steps; after loadParameters, those that depend on more than
  /// parameters. Makes no driver call but theirs, so that a stream may record
  /// them.
  Status run(Stream stream = nullptr) const noexcept;

  /// Starts the steps that depend on parameters and constants only, and keeps
  /// what they write: later runs skip them. To be called again once elements of
  /// a parameter have changed. An error for a stream that records a graph.
  Status loadParameters(Stream stream = nullptr) const noexcept;

  /// The bytes of its memory, without those of kernels' workspaces.
  uint64_t getWorkspaceBytes() const noexcept;
  /// Returns its launches, in this order, without those of an empty grid.
  const std::vector<Launch> &getLaunches() const noexcept;

private:
  friend class Program;
  struct Impl;
  explicit PreparedProgram(std::shared_ptr<const Impl> impl);
  std::shared_ptr<const Impl> impl;
};

/// Copies share ownership. Any thread may call all members.
class Program {
public:
  /// Finds the program called `name` and uploads its constants. Loads no code
  /// onto the device.
  static Result<Program> get(const Context &context, const Package &package,
                             std::string_view name,
                             const LoadOptions &options = {}) noexcept;

  const ProgramInfo &getInfo() const noexcept;

  /// Starts all steps in the stream. The first launch with a set of extents,
  /// strides and alignments checks them, chooses a variant for each kernel and
  /// loads it; later ones use this plan. `arguments` don't include workspaces,
  /// which launches in one stream share. Fails if
  ///  - arguments don't fit the signature, or a check of the program fails (the
  ///    message is the program's);
  ///  - the launch of one of its kernels would fail (Kernel::launch).
  /// Nothing has started if the arguments are refused.
  Status launch(const Argument *arguments, size_t count,
                Stream stream = nullptr) const noexcept;

  /// Starts the steps of this launch that depend on parameters and constants
  /// only, and keeps what they write in the stream's memory: later launches in
  /// the stream skip them. To be called again once elements of a parameter have
  /// changed. Launches in the stream are errors then with parameters that are
  /// other memory than here, and so is this call for a stream that records a
  /// graph.
  Status loadParameters(const Argument *arguments, size_t count,
                        Stream stream = nullptr) const noexcept;

  /// Prepares the same launch without running it. Allocates memory for this
  /// launch alone.
  Result<PreparedProgram> prepare(const Argument *arguments,
                                  size_t count) const noexcept;

  /// Compiles and loads every variant of its kernels that the device can run.
  Status loadAll() const noexcept;

  /// NVRTC's warnings for the loaded modules.
  std::vector<CompileMessage> getCompileMessages() const noexcept;

private:
  friend class PreparedProgram;
  struct Impl;
  explicit Program(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl;
};

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_PROGRAM_H
