//===- AssemblePTX.cpp - cubins from PTX ----------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes the PTX to a temporary file, runs ptxas and reads the cubin back.
//
//===----------------------------------------------------------------------===//

#include "carousel/Target/AssemblePTX.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

static constexpr unsigned kThreads = 8;

Expected<std::string> carousel::findPTXAS(StringRef cudaRoot) {
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

/// A temporary file that is gone at the end of the scope.
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

Expected<std::string> carousel::assemblePTX(StringRef ptx, StringRef chip,
                                            StringRef cudaRoot) {
  Expected<std::string> ptxas = findPTXAS(cudaRoot);
  if (!ptxas)
    return ptxas.takeError();
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

  std::string arch = ("--gpu-name=" + chip).str();
  // Kernels at once. The cubin is the same for every number of threads but one,
  // so that it isn't that of the machine.
  std::string threads = ("--split-compile=" + Twine(kThreads)).str();
  std::string error;
  int status = sys::ExecuteAndWait(
      *ptxas, {*ptxas, arch, threads, input, "-o", output},
      /*Env=*/std::nullopt, {StringRef(), StringRef(log), StringRef(log)},
      /*SecondsToWait=*/0, /*MemoryLimit=*/0, &error);
  if (status != 0)
    return createStringError("ptxas failed for " + chip + ": " +
                             (error.empty() ? readAll(log) : error));
  return readAll(output);
}
