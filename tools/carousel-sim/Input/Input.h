//===- Input.h - the module that carousel-sim reads -------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses and verifies a file, finds its kernels and functions, and describes
// their arguments in the form that tools/support/Tensors uses.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_SIM_INPUT_H
#define CAROUSEL_TOOLS_SIM_INPUT_H

#include "carousel/PTX/PTXModule.h"
#include "carousel/Runtime/Package.h"
#include "carousel/Simulator/Simulator.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/SourceMgr.h"

namespace carousel {
class ToolDiagnostics;
} // namespace carousel

namespace carousel::simtool {

struct Options;

/// A text of PTX, with the code of kernels that a module describes.
struct CodeText {
  std::string file;
  ptx::Module module;
  /// The gpu.module of a package; empty: any kernel of the same name.
  std::string home;
  /// The arguments that each parameter holds; by default as docs/KernelABI.md
  /// says.
  std::optional<sim::PTXParameters> parameters = std::nullopt;
};

/// A file's module, or a package's. Diagnostics go to stderr for as long as it
/// lives.
class Input {
public:
  Input();
  ~Input();

  /// Reads the file, "-" for stdin, or the package, and texts of PTX. Where
  /// that fails, an error or diagnostics were printed.
  bool load(const Options &options);
  mlir::ModuleOp getModule() const { return *module; }
  /// Whether kernels run the code of PTX, and not that of the module.
  bool hasCode() const { return !texts.empty(); }
  /// The PTX of a kernel. An error where no text has it.
  runtime::Result<const CodeText *> findCode(mlir::gpu::GPUFuncOp kernel) const;

  std::vector<mlir::gpu::GPUFuncOp> getKernels() const;
  /// "@k", "@module::@k", with or without the @; empty: the only one. Errors
  /// name the option.
  runtime::Result<mlir::gpu::GPUFuncOp>
  findKernel(std::string name, std::string_view option = "--kernel") const;
  runtime::Result<mlir::func::FuncOp> findFunction(std::string name) const;
  runtime::Result<mlir::func::FuncOp> findProgram(std::string name) const;

private:
  bool parseModule(std::unique_ptr<llvm::MemoryBuffer> text);
  bool loadPackage(const Options &options);
  bool loadConstants(const runtime::Package &package);
  bool loadPTX(const Options &options);
  bool addText(llvm::StringRef text, std::string file, std::string home);
  bool addFile(const std::string &file);

  bool isPackage = false;
  mlir::MLIRContext context;
  llvm::SourceMgr sources;
  std::vector<std::unique_ptr<CodeText>> texts;
  std::unique_ptr<ToolDiagnostics> diagnostics;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// "module::kernel".
std::string getQualifiedName(mlir::gpu::GPUFuncOp kernel);

/// The arguments that callers give; without variants. An error where one has
/// a type that no file and no number is of.
runtime::Result<runtime::SignatureInfo> describe(mlir::gpu::GPUFuncOp kernel);

/// The same for a program.
runtime::Result<runtime::SignatureInfo> describe(mlir::func::FuncOp program);

/// The same for a function that takes the arguments of `kernel` in their order:
/// an error where it takes others.
runtime::Result<runtime::SignatureInfo>
describe(mlir::func::FuncOp function, const runtime::SignatureInfo &kernel);

} // namespace carousel::simtool

#endif // CAROUSEL_TOOLS_SIM_INPUT_H
