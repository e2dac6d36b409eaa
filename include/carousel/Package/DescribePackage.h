//===- DescribePackage.h - what a package says of its kernels ---*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain structs, one for each object of docs/Package.md; how they are read from
// a module at the machine phase, and their JSON. The attributes and types in
// them belong to the module's context.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PACKAGE_DESCRIBEPACKAGE_H
#define CAROUSEL_PACKAGE_DESCRIBEPACKAGE_H

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "carousel/Dialect/IR/KernelSignature.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace carousel {

/// The name of the manifest in a package, the version that is written, and the
/// limits of its reader.
inline constexpr llvm::StringLiteral kManifestFile = "manifest.json";
inline constexpr llvm::StringLiteral kManifestFormat = "carousel-package";
inline constexpr int kManifestVersion = 3;
inline constexpr size_t kMaxManifestBytes = 16 << 20;
inline constexpr int64_t kMaxArgumentRank = 8;
/// Of names of kernels, functions and arguments, and of texts about waits.
inline constexpr size_t kMaxNameBytes = 1024;

/// What callers pass and, behind that, what the runtime allocates.
struct ArgumentDescription {
  enum class Kind { Scalar, Tensor, Workspace };
  Kind kind = Kind::Scalar;
  std::string name;
  ArgumentAccess access;
  std::string element; ///< as MLIR spells the type
  /// Workspace: of all dimensions.
  std::vector<ExprAttr> workspaceExtents;
  /// The rest is a tensor's.
  std::vector<int64_t> extents;
  /// Nothing where the memref has no layout.
  std::optional<std::vector<int64_t>> strides;
};

/// What the emitted kernel takes.
struct ParameterDescription {
  KernelParameter::Kind kind;
  unsigned number; ///< of the argument; TensorMap: of the variant's map
  unsigned dim;    ///< of an extent or stride
};

struct TensorMapDescription {
  unsigned argument;
  TensorMapType type;
  std::vector<ExprAttr> extents;
  std::vector<ExprAttr> strides;
  ExprAttr offset;
};

struct VariantDescription {
  /// In the module that was described; null in a package.
  mlir::gpu::GPUFuncOp function;
  std::string functionName;
  std::string moduleName;
  std::vector<std::string> chips;
  std::vector<GuardAttr> guards;
  unsigned indexBits;
  std::vector<ParameterDescription> parameters;
  std::vector<TensorMapDescription> tensorMaps;
  std::array<ExprAttr, 3> grid;
  std::array<int64_t, 3> block;
  std::array<int64_t, 3> cluster;
  int64_t dynamicShared;
  bool isCooperative; ///< all CTAs are on the device at once

  /// The capability guard that keeps this variant from devices of capability
  /// `sm` (10 * major + minor), or null.
  GuardAttr findExcludingGuard(unsigned sm) const;
};

struct KernelDescription {
  std::string name;
  std::vector<ArgumentDescription> arguments;
  std::vector<VariantDescription> variants; ///< most preferred first
};

struct ImageDescription {
  std::string chip;
  llvm::StringLiteral kind;
  std::string file;
  size_t bytes;
  std::string hash;
  std::string function = {}; ///< the kernel that it holds; empty: all
};

/// A wait that has a bound (`debug-waits`).
struct WaitDescription {
  uint32_t number;      ///< what a kernel writes down
  std::string function; ///< kernel or device function
  std::string barrier;
  WaitRole role;
  WaitPhase phase;
  std::string location; ///< "saxpy.mlir:14"; empty where it isn't known
};

/// A function that a module calls and doesn't have.
struct ExternDescription {
  std::string name; ///< an identifier
  /// "f32", "ptr"; "other" for what a C function has no one type for. A result
  /// that isn't there: void.
  std::optional<std::string> result;
  std::vector<std::string> parameters;
};

struct ModuleDescription {
  std::string name;
  std::vector<ImageDescription> images;
  std::vector<WaitDescription> waits; ///< by number
  std::vector<ExternDescription> externs = {};
};

struct Manifest {
  std::string producer;
  std::vector<ModuleDescription> modules;
  std::vector<KernelDescription> kernels;
};

/// The kernels of a module at the machine phase, in their order; the variants'
/// chips are left empty. Emits an error and fails where a kernel doesn't say
/// how it is launched or has an argument that a package has no word for.
mlir::FailureOr<std::vector<KernelDescription>>
describeKernels(mlir::ModuleOp module, unsigned indexBits);

/// The numbered waits of a module, by number.
std::vector<WaitDescription> describeWaits(mlir::gpu::GPUModuleOp module);

/// The functions that a module declares and that its PTX leaves for the linker.
/// Emits an error and fails where the name of one is no identifier, which CUDA
/// C++ couldn't define.
mlir::FailureOr<std::vector<ExternDescription>>
describeExterns(mlir::gpu::GPUModuleOp module, llvm::StringRef ptx,
                unsigned indexBits);

/// The text of manifest.json; the same for the same manifest.
std::string printManifest(const Manifest &manifest);

/// SHA-256 as 64 lower-case hexadecimal digits.
std::string hashContents(llvm::StringRef contents);

} // namespace carousel

#endif // CAROUSEL_PACKAGE_DESCRIBEPACKAGE_H
