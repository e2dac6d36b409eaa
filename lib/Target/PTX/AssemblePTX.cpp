//===- AssemblePTX.cpp - cubins from PTX ----------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Uses the library if it is allowed and available. Otherwise writes the PTX to
// a temporary file, runs ptxas, and reads the cubin.
//
//===----------------------------------------------------------------------===//

#include "carousel/Target/AssemblePTX.h"

#include "PTXCompiler.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace carousel;
using namespace llvm;

static constexpr unsigned kThreads = 8;

/// The one under `cudaRoot`/bin, or on the PATH if `cudaRoot` is empty.
static Expected<std::string> findPTXAS(StringRef cudaRoot) {
  if (cudaRoot.empty()) {
    ErrorOr<std::string> found = sys::findProgramByName("ptxas");
    if (found)
      return *found;
    return createStringError(
        "no ptxas on the PATH; install CUDA 13 or name its directory");
  }
  SmallString<128> path(cudaRoot);
  sys::path::append(path, "bin", "ptxas");
  if (sys::fs::can_execute(path))
    return std::string(path);
  return createStringError("no ptxas at '" + path + "'");
}

/// Creates a temporary file that is removed at the end of the scope.
static Expected<FileRemover> createTemporary(StringRef suffix,
                                             SmallString<128> &path) {
  if (std::error_code error =
          sys::fs::createTemporaryFile("carousel", suffix, path))
    return createStringError("can't create a temporary file: " +
                             error.message());
  return FileRemover(path);
}

static std::string readAll(StringRef path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer = MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

static Expected<std::string> runPTXAS(StringRef ptxas, StringRef ptx,
                                      StringRef arch, StringRef threads) {
  SmallString<128> input, output, log;
  Expected<FileRemover> removeInput = createTemporary("ptx", input);
  if (!removeInput)
    return removeInput.takeError();
  Expected<FileRemover> removeOutput = createTemporary("cubin", output);
  if (!removeOutput)
    return removeOutput.takeError();
  Expected<FileRemover> removeLog = createTemporary("log", log);
  if (!removeLog)
    return removeLog.takeError();

  std::error_code writeError;
  raw_fd_ostream stream(input, writeError);
  stream << ptx;
  stream.close();
  if (writeError || stream.has_error())
    return createStringError("can't write '" + input + "'");

  std::string error;
  int status = sys::ExecuteAndWait(
      ptxas, {ptxas, arch, threads, input, "-o", output},
      /*Env=*/std::nullopt, {StringRef(), StringRef(log), StringRef(log)},
      /*SecondsToWait=*/0, /*MemoryLimit=*/0, &error);
  if (status != 0)
    return createStringError(error.empty() ? readAll(log) : error);
  return readAll(output);
}

/// Whether to use the library.
static bool takesLibrary(Assembler assembler) {
  if (assembler != Assembler::Auto)
    return assembler == Assembler::Library;
  Expected<std::string> found = findPTXCompiler();
  if (!found)
    consumeError(found.takeError());
  return static_cast<bool>(found);
}

Expected<std::string> carousel::findAssembler(const AssembleOptions &options) {
  return takesLibrary(options.assembler) ? findPTXCompiler()
                                         : findPTXAS(options.cudaRoot);
}

Expected<std::string> carousel::assemblePTX(StringRef ptx, StringRef chip,
                                            const AssembleOptions &options) {
  Expected<std::string> found = findAssembler(options);
  if (!found)
    return found.takeError();
  std::string arch = ("--gpu-name=" + chip).str();
  // Kernels in parallel. The cubin is the same for every number of threads
  // except one, so the number doesn't depend on the host.
  std::string threads = ("--split-compile=" + Twine(kThreads)).str();
  bool library = takesLibrary(options.assembler);
  Expected<std::string> cubin =
      library ? runPTXCompiler(ptx, {arch.c_str(), threads.c_str()})
              : runPTXAS(*found, ptx, arch, threads);
  if (cubin)
    return cubin;
  return createStringError(Twine(library ? "nvPTXCompiler" : "ptxas") +
                           " failed for " + chip + ": " +
                           toString(cubin.takeError()));
}
