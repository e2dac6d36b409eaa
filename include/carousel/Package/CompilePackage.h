//===- CompilePackage.h - compile modules to packages -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles the kernels of a module for several chips into a package in memory.
// WritePackage.h writes it to disk. The context must have what the lowering
// needs: registerLoweringInterfaces and registerPTXTranslations.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PACKAGE_COMPILEPACKAGE_H
#define CAROUSEL_PACKAGE_COMPILEPACKAGE_H

#include "carousel/Dialect/IR/GraphDecisions.h"
#include "carousel/Package/DescribePackage.h"
#include "carousel/Support/Misses.h"
#include "carousel/Target/AssemblePTX.h"
#include "carousel/Target/TargetInfo.h"

#include <functional>
#include <memory>
#include <optional>

namespace carousel {

/// One compilation: a gpu.module for a chip.
struct CompileStep {
  size_t number; ///< from 1
  size_t count;
  llvm::StringRef module;
  llvm::StringRef chip;
};

/// Code that earlier compilations made, by keys of all that it depends on.
/// Functions are called on any thread.
struct CodeStore {
  std::function<std::optional<std::string>(llvm::StringRef key)> find;
  /// Returns an error, or an empty string.
  std::function<std::string(llvm::StringRef key, llvm::StringRef code)> keep;

  explicit operator bool() const { return find && keep; }
};

struct CompilePackageOptions {
  enum class Cubins {
    Auto,    ///< if there is an assembler; a remark reports its absence
    Never,   ///< PTX only
    Required ///< no assembler is an error
  };

  enum class Misses { Ignore, Warn };

  std::vector<std::string> chips; ///< at least one, each once
  /// The GPUs that the package is planned for, each of another chip
  /// (ChipModel.h); the default one of other chips.
  std::vector<std::string> gpus;
  std::optional<unsigned> ptxVersion; ///< 86 is 8.6; absent for the default
  unsigned indexBitwidth = 64;
  unsigned optLevel = kDefaultOptLevel; ///< of LLVM, 0 to 3
  /// The time in milliseconds after which a wait traps; absent for no
  /// limit.
  std::optional<unsigned> debugWaits;
  /// Whether kernels keep their assertions, and assert that indices which they
  /// read from memory are inside.
  bool debugAssertions = false;
  /// Whether cubins are made from the PTX.
  Cubins cubins = Cubins::Auto;
  Assembler assembler = Assembler::Auto;
  bool ptx = true;
  bool cuda = false; ///< CUDA C++, in addition or alone
  /// Whether the CUDA C++ has `#line` directives, by which debuggers show the
  /// IR's lines.
  bool lineDirectives = false;
  /// Whether there is a warning about each request of a loop or a transfer that
  /// isn't honoured, and about what is slow (docs/WhyNotPipelined.md), in
  /// graphs too.
  Misses misses = Misses::Warn;
  /// Where PTX of modules of several kernels, and cubins, are kept.
  CodeStore code = {};
  /// The kinds of misses of kernels that are errors instead, whatever `misses`
  /// says.
  std::vector<MissKind> errors;
  /// The least type in which contractions of graphs add: "f32" or "as-written"
  /// (docs/GraphPhase.md).
  std::string accumulate = "f32";
  /// How graphs multiply factors of f32: "exact" or "tf32".
  std::string products = "exact";
  /// Let cuBLASLt compute the products of graphs that it computes faster.
  bool libraries = true;
  /// Whether products and reductions of graphs may be one pass.
  bool streams = true;
  /// Selects the variants to compile. It is called with the guards of each
  /// variant of a kernel at the tile phase, in order of preference, for each
  /// chip and gpu.module. The first variant that it accepts is compiled, and no
  /// other. If it isn't set, all variants are compiled. Use it if the arguments
  /// of the launch are known, or to compile less code.
  std::function<bool(llvm::StringRef kernel, llvm::ArrayRef<GuardAttr> guards)>
      wanted;
  /// The directory that has libdevice and ptxas. If empty, ptxas is searched on
  /// the PATH, and there is no libdevice.
  std::string cudaRoot;
  /// Called before each compilation.
  std::function<void(const CompileStep &)> progress;
  /// Called before each pass and between kernels, on any thread, at the same
  /// time too. Once it returns true, the compilation fails.
  std::function<bool()> isCancelled;
};

struct PackageFile {
  std::string name;
  std::string contents;
};

/// A package in memory. The manifest's attributes belong to the context.
struct Package {
  Manifest manifest;
  /// The decisions for graphs, by function.
  std::vector<GraphDecision> graphs;
  /// manifest.json and the files that it lists.
  std::vector<PackageFile> files;
};

class MathLibrary;
class PassManagers;
class TargetMachines;

/// Compiles packages one after the other in one MLIR context. Keeps the state
/// that passes prepare, the functions of libdevice, and LLVM's back ends. Each
/// package after the first takes 2 to 16 % less time. The context must outlive
/// it. A module that loads a dialect lets the passes prepare their state anew;
/// MLIRContext::loadAllAvailableDialects, called before, saves that.
class PackageCompiler {
public:
  explicit PackageCompiler(mlir::MLIRContext *context);
  ~PackageCompiler();

  /// Compiles as compilePackage does. `module` must belong to the same context.
  mlir::FailureOr<Package> compile(mlir::ModuleOp module,
                                   const CompilePackageOptions &options);

private:
  std::unique_ptr<PassManagers> managers;
  std::unique_ptr<MathLibrary> math;
  std::unique_ptr<TargetMachines> machines;
};

/// Compiles every kernel of `module`, and doesn't change the module. Its
/// gpu.modules are at the tile phase or the machine phase. A gpu.module with a
/// target is compiled for that chip only. On failure emits an error at the op
/// that caused it, or at the module. Concurrent compilations need one context
/// each: a second compilation in a context is an error.
mlir::FailureOr<Package> compilePackage(mlir::ModuleOp module,
                                        const CompilePackageOptions &options);

/// Prints the variants with their chips, and the files with their sizes.
void printSummary(llvm::raw_ostream &os, const Package &package);

} // namespace carousel

#endif // CAROUSEL_PACKAGE_COMPILEPACKAGE_H
