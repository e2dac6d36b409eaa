//===- Launcher.h - one kernel and its tensors on a device ------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Allocates device memory for the arguments of the command line, uploads their
// contents, and downloads results.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_SUPPORT_LAUNCH_LAUNCHER_H
#define CAROUSEL_TOOLS_SUPPORT_LAUNCH_LAUNCHER_H

#include "../Tensors/Arguments.h"
#include "LaunchOptions.h"

#include "carousel/Runtime/Kernel.h"

namespace carousel::tools {

/// Prints an error.
Exit report(const runtime::Error &error);

/// Refuses arguments that peers access, as these programs have one GPU and no
/// peer, unless the options say to pass memory of that GPU.
runtime::Status checkSharing(const runtime::SignatureInfo &signature,
                             const LaunchOptions &options);

runtime::Result<runtime::Context> createContext(const LaunchOptions &options,
                                                ProgressMode progressMode);

/// Reads the files of --link.
runtime::Result<runtime::LoadOptions>
makeLoadOptions(const LaunchOptions &options);

class Launcher {
public:
  /// Allocates the tensors; their contents are still to be uploaded. Each
  /// begins `misalignment` bytes after an address that is aligned as the
  /// allocator aligns.
  static Result<Launcher> create(const runtime::Context &context,
                                 const runtime::SignatureInfo &kernel,
                                 std::vector<ArgumentValue> values,
                                 uint64_t misalignment,
                                 ProgressMode progressMode);

  /// The arguments as the runtime takes them. Valid while this object is where
  /// it is.
  std::vector<runtime::Argument> getArguments() const;

  /// Gives every tensor its contents.
  Status upload();
  /// The memory of a tensor, gaps included.
  Result<HostBuffer> download(size_t argument) const;

  const Layout &getLayout(size_t argument) const {
    return values[argument].tensor.layout;
  }

private:
  Launcher(const runtime::Context &context,
           const runtime::SignatureInfo &kernel,
           std::vector<ArgumentValue> values, uint64_t misalignment,
           ProgressMode progressMode)
      : context(context), kernel(&kernel), values(std::move(values)),
        misalignment(misalignment), progressMode(progressMode) {}

  bool isTensor(size_t argument) const {
    return kernel->arguments[argument].kind ==
           runtime::ArgumentInfo::Kind::Tensor;
  }
  /// The memory of a tensor: its own, or that of another argument.
  const runtime::Buffer &getBuffer(size_t argument) const {
    return *buffers[values[argument].sameAs.value_or(argument)];
  }

  runtime::Context context;
  const runtime::SignatureInfo *kernel;
  std::vector<ArgumentValue> values;
  std::vector<std::optional<runtime::Buffer>> buffers;
  uint64_t misalignment;
  ProgressMode progressMode;
};

} // namespace carousel::tools

#endif // CAROUSEL_TOOLS_SUPPORT_LAUNCH_LAUNCHER_H
