//===- ModuleCompiler.h - PTX, cubins and CUDA C++ of modules ---*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles one gpu.module for one chip, to the images of a package. Private.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_COMPILER_PACKAGE_MODULECOMPILER_H
#define CAROUSEL_COMPILER_PACKAGE_MODULECOMPILER_H

#include "PassManagers.h"

#include "carousel/Package/CompilePackage.h"
#include "llvm/ADT/DenseSet.h"

namespace carousel {

class MathLibrary;
class TargetMachines;
struct TargetInfo;

/// Whether a module may be compiled for a chip: one that says its target is for
/// no other.
bool isMadeFor(mlir::gpu::GPUModuleOp module, const TargetInfo &chip);

/// Which variants are compiled for which chips.
class ChosenVariants {
public:
  void insert(mlir::gpu::GPUFuncOp func, const TargetInfo &chip) {
    chosen.insert({func, &chip});
  }
  bool contains(mlir::gpu::GPUFuncOp func, const TargetInfo &chip) const {
    return chosen.contains({func, &chip});
  }
  /// Whether any function of the module is.
  bool contains(mlir::gpu::GPUModuleOp module, const TargetInfo &chip) const;

private:
  llvm::DenseSet<std::pair<mlir::Operation *, const TargetInfo *>> chosen;
};

class ModuleCompiler {
public:
  ModuleCompiler(const CompilePackageOptions &options, PassManagers &managers,
                 MathLibrary &math, TargetMachines &machines,
                 const ChosenVariants &chosen, Package &package)
      : options(options), managers(managers), math(math), machines(machines),
        chosen(chosen), package(package) {}

  /// Finds the assembler of cubins, if the options want any.
  mlir::LogicalResult findAssembler(mlir::ModuleOp module);

  /// Adds the images to the package, and to `description`, which is the
  /// module's. \p isVerified: a pipeline has checked the module for the chip.
  mlir::LogicalResult compile(mlir::gpu::GPUModuleOp gpuModule,
                              const TargetInfo &chip, bool isVerified,
                              ModuleDescription &description);

private:
  bool isCancelled() const {
    return options.isCancelled && options.isCancelled();
  }
  mlir::OwningOpRef<mlir::ModuleOp> copyFor(mlir::gpu::GPUModuleOp gpuModule,
                                            const TargetInfo &chip);
  mlir::LogicalResult compilePTX(mlir::ModuleOp holder,
                                 mlir::gpu::GPUModuleOp gpuModule,
                                 const TargetInfo &chip, bool isVerified,
                                 ModuleDescription &description);
  mlir::LogicalResult assemble(mlir::gpu::GPUModuleOp gpuModule,
                               llvm::StringRef ptx, const TargetInfo &chip,
                               ModuleDescription &description);
  mlir::LogicalResult noteExterns(mlir::gpu::GPUModuleOp gpuModule,
                                  llvm::StringRef ptx,
                                  ModuleDescription &description);
  mlir::LogicalResult compileCUDA(mlir::ModuleOp holder, const TargetInfo &chip,
                                  ModuleDescription &description);
  void noteRegisters(const TargetInfo &chip, llvm::StringRef module,
                     llvm::StringRef cubin);
  void addImage(ModuleDescription &description, const TargetInfo &chip,
                llvm::StringLiteral kind, std::string contents,
                llvm::StringRef function = {});

  const CompilePackageOptions &options;
  PassManagers &managers;
  MathLibrary &math;
  TargetMachines &machines;
  const ChosenVariants &chosen;
  Package &package;
  bool hasAssembler = false;
};

} // namespace carousel

#endif // CAROUSEL_COMPILER_PACKAGE_MODULECOMPILER_H
