//===- CompilePackage.h - packages from modules -----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles the kernels of a module for several chips into a package in memory;
// WritePackage.h puts it on disk. The context needs what the lowering needs:
// registerLoweringInterfaces and registerPTXTranslations.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PACKAGE_COMPILEPACKAGE_H
#define CAROUSEL_PACKAGE_COMPILEPACKAGE_H

#include "carousel/Package/DescribePackage.h"
#include "carousel/Target/AssemblePTX.h"
#include "carousel/Target/TargetInfo.h"

#include <functional>
#include <memory>

namespace carousel {

/// One compilation: a gpu.module for a chip.
struct CompileStep {
  size_t number; ///< from 1
  size_t count;
  llvm::StringRef module;
  llvm::StringRef chip;
};

struct CompilePackageOptions {
  enum class Cubins {
    Auto, ///< where there is an assembler; a remark says so where there is none
    Never,   ///< PTX only
    Required ///< no assembler is an error
  };

  std::vector<std::string> chips; ///< at least one, each once
  unsigned ptxVersion = 0;        ///< 86 is 8.6; 0: the default
  unsigned indexBitwidth = 64;
  unsigned optLevel = kDefaultOptLevel; ///< of LLVM, 0 to 3
  /// Milliseconds after which a wait traps; 0: never.
  unsigned debugWaits = 0;
  /// Cubins are made of PTX.
  Cubins cubins = Cubins::Auto;
  Assembler assembler = Assembler::Auto;
  bool ptx = true;
  bool cuda = false; ///< CUDA C++, too or alone
  /// `#line` directives in it, so that debuggers name lines of the IR.
  bool lineDirectives = false;
  /// Whether a variant of a kernel at the tile phase is wanted, by its guards.
  /// They are asked for in order of preference, for each chip and gpu.module;
  /// the first one that is wanted is compiled, and no other. None: all are
  /// compiled. For those who know the arguments of the launch, or want less
  /// code.
  std::function<bool(llvm::StringRef kernel, llvm::ArrayRef<GuardAttr> guards)>
      wanted;
  /// Where libdevice and ptxas are; empty: ptxas of the PATH, no libdevice.
  std::string cudaRoot;
  /// Called before each compilation.
  std::function<void(const CompileStep &)> progress;
};

struct PackageFile {
  std::string name;
  std::string contents;
};

/// A package in memory. The manifest's attributes belong to the context.
struct Package {
  Manifest manifest;
  /// manifest.json and the files that it names.
  std::vector<PackageFile> files;
};

class MathLibrary;
class PassManagers;
class TargetMachines;

/// Compiles packages one after the other, in one MLIR context, and keeps what
/// passes prepare, what they take from libdevice, and LLVM's back ends: what
/// comes behind the first one takes 2 to 16 % less.
/// Ends before the context does.
class PackageCompiler {
public:
  explicit PackageCompiler(mlir::MLIRContext *context);
  ~PackageCompiler();

  /// As compilePackage. `module` is of the same context.
  mlir::FailureOr<Package> compile(mlir::ModuleOp module,
                                   const CompilePackageOptions &options);

private:
  std::unique_ptr<PassManagers> managers;
  std::unique_ptr<MathLibrary> math;
  std::unique_ptr<TargetMachines> machines;
};

/// Compiles every kernel of `module`, whose gpu.modules are at the tile phase
/// or the machine phase, and which is left as it is. A gpu.module with a target
/// is compiled for that chip only. Emits an error at the op that is to blame,
/// or at the module. Compilations at once
/// need contexts of their own; one in a context where another runs is an error.
mlir::FailureOr<Package> compilePackage(mlir::ModuleOp module,
                                        const CompilePackageOptions &options);

/// Prints the variants with their chips, and the files with their sizes.
void printSummary(llvm::raw_ostream &os, const Package &package);

} // namespace carousel

#endif // CAROUSEL_PACKAGE_COMPILEPACKAGE_H
