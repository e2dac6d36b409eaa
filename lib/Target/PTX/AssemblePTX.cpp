//===- AssemblePTX.cpp - cubins from PTX ----------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Uses the library if it is allowed and available, and no program of its
// release is faster. Otherwise writes the PTX to a temporary file, runs ptxas,
// and reads the cubin.
//
//===----------------------------------------------------------------------===//

#include "carousel/Target/AssemblePTX.h"

#include "PTXCompiler.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
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

/// The lines that aren't about functions without faults.
static std::string dropInfo(StringRef log) {
  std::string kept;
  for (StringRef line : split(log, '\n'))
    if (!line.starts_with("ptxas info"))
      kept += (line + "\n").str();
  return kept;
}

/// Runs a program, and takes what it writes as its report.
static Error execute(StringRef program, ArrayRef<StringRef> words,
                     std::string &report) {
  SmallString<128> log;
  Expected<FileRemover> removeLog = createTemporary("log", log);
  if (!removeLog)
    return removeLog.takeError();
  std::string error;
  int status = sys::ExecuteAndWait(
      program, words,
      /*Env=*/std::nullopt, {StringRef(), StringRef(log), StringRef(log)},
      /*SecondsToWait=*/0, /*MemoryLimit=*/0, &error);
  report = readAll(log);
  if (status == 0)
    return Error::success();
  std::string said = dropInfo(report);
  if (error.empty() || said.empty())
    return createStringError(error + said);
  return createStringError(error + ": " + said);
}

static Expected<std::string> runPTXAS(StringRef ptxas, StringRef ptx,
                                      ArrayRef<const char *> options,
                                      std::string &report) {
  SmallString<128> input, output;
  Expected<FileRemover> removeInput = createTemporary("ptx", input);
  if (!removeInput)
    return removeInput.takeError();
  Expected<FileRemover> removeOutput = createTemporary("cubin", output);
  if (!removeOutput)
    return removeOutput.takeError();

  std::error_code writeError;
  raw_fd_ostream stream(input, writeError);
  stream << ptx;
  stream.close();
  if (writeError || stream.has_error()) {
    stream.clear_error(); // else it ends the process
    return createStringError("can't write '" + input + "'");
  }

  SmallVector<StringRef> words = {ptxas, input, "-o", output};
  words.append(options.begin(), options.end());
  if (Error error = execute(ptxas, words, report))
    return std::move(error);
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

static bool hasProducts(StringRef ptx) {
  return ptx.contains("wgmma.mma_async");
}

/// The program, if it compiles several kernels with products sooner than the
/// library, for which one thread has to do: a program of the library's release,
/// since another one may make other code.
static std::optional<std::string> findFaster(StringRef ptx, StringRef library,
                                             StringRef cudaRoot) {
  // The program takes some 20 ms to start, and so does asking for its version.
  // A kernel with products takes 100 ms and more.
  if (!hasProducts(ptx) || ptx.count(".entry ") < 2)
    return std::nullopt;
  Expected<std::string> program = findPTXAS(cudaRoot);
  if (!program) {
    consumeError(program.takeError());
    return std::nullopt;
  }
  std::string version;
  if (Error error = execute(*program, {*program, "--version"}, version)) {
    consumeError(std::move(error));
    return std::nullopt;
  }
  // "nvPTXCompiler 13.0", and "Cuda compilation tools, release 13.0, V13.0.88".
  std::string release = ("release " + library.rsplit(' ').second + ",").str();
  if (!StringRef(version).contains(release))
    return std::nullopt;
  return *program;
}

/// Assembles by the library or the program `ptxas`; \p said gets the report.
static Expected<std::string> assembleBy(bool library, StringRef ptxas,
                                        StringRef ptx, StringRef chip,
                                        bool isVerbose, std::string &said) {
  std::string arch = ("--gpu-name=" + chip).str();
  // Kernels are compiled in parallel. The number of threads doesn't depend on
  // the host, since a note in the cubin has it; the code is the same for each.
  // The library's threads write what they say of products to stderr, and not to
  // the report.
  unsigned count = library && hasProducts(ptx) ? 1 : kThreads;
  std::string threads = ("--split-compile=" + Twine(count)).str();
  SmallVector<const char *> words = {arch.c_str(), threads.c_str()};
  if (isVerbose)
    words.push_back("--verbose");
  return library ? runPTXCompiler(ptx, words, said)
                 : runPTXAS(ptxas, ptx, words, said);
}

Expected<std::string> carousel::assemblePTX(StringRef ptx, StringRef chip,
                                            const AssembleOptions &options,
                                            std::string *report) {
  Expected<std::string> found = findAssembler(options);
  if (!found)
    return found.takeError();
  bool library = takesLibrary(options.assembler);
  if (library && options.assembler == Assembler::Auto)
    if (std::optional<std::string> faster =
            findFaster(ptx, *found, options.cudaRoot)) {
      found = *faster;
      library = false;
    }
  std::string said;
  Expected<std::string> cubin =
      assembleBy(library, *found, ptx, chip, report != nullptr, said);
  // The program may lack space for its files, or be killed.
  if (!cubin && !library && options.assembler == Assembler::Auto &&
      takesLibrary(options.assembler)) {
    consumeError(cubin.takeError());
    library = true;
    cubin = assembleBy(library, *found, ptx, chip, report != nullptr, said);
  }
  if (cubin) {
    if (report)
      *report = std::move(said);
    return cubin;
  }
  return createStringError(Twine(library ? "nvPTXCompiler" : "ptxas") +
                           " failed for " + chip + ": " +
                           toString(cubin.takeError()));
}

StringMap<int64_t> carousel::readSpills(StringRef report) {
  // "... Function properties for f", and in the next line "0 bytes stack frame,
  // 8 bytes spill stores, 12 bytes spill loads".
  constexpr StringLiteral kFunction = "Function properties for ";
  constexpr StringLiteral kStores = " bytes spill stores";
  StringMap<int64_t> spills;
  StringRef function;
  while (!report.empty()) {
    StringRef line;
    std::tie(line, report) = report.split('\n');
    if (size_t at = line.find(kFunction); at != StringRef::npos)
      function = line.substr(at + kFunction.size()).trim().trim('\'');
    size_t end = line.find(kStores);
    int64_t bytes;
    if (end != StringRef::npos && !function.empty() &&
        !line.take_front(end).rsplit(' ').second.getAsInteger(10, bytes) &&
        bytes != 0)
      spills[function] = bytes;
  }
  return spills;
}
