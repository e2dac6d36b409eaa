//===- DescribePackage.h - the contents of a manifest -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain structs, one for each object of docs/Package.md. They are computed from
// a module at the machine phase, and printed as JSON. Their attributes and
// types belong to the module's context.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PACKAGE_DESCRIBEPACKAGE_H
#define CAROUSEL_PACKAGE_DESCRIBEPACKAGE_H

#include "carousel/Analysis/Decisions/Throughput.h"
#include "carousel/Dialect/IR/CarouselDialect.h"
#include "carousel/Dialect/IR/KernelDecisions.h"
#include "carousel/Dialect/IR/KernelSignature.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace carousel {

/// The name of the manifest in a package, the version that the compiler writes,
/// and the limits of the manifest's reader.
inline constexpr llvm::StringLiteral kManifestFile = "manifest.json";
inline constexpr llvm::StringLiteral kManifestFormat = "carousel-package";
inline constexpr int kManifestVersion = 3;
inline constexpr size_t kMaxManifestBytes = 16 << 20;
inline constexpr int64_t kMaxArgumentRank = 8;
/// The limit for names of kernels, functions and arguments, and for labels of
/// waits.
inline constexpr size_t kMaxNameBytes = 1024;

/// Arguments that callers pass, followed by workspaces, which the runtime
/// allocates.
struct ArgumentDescription {
  enum class Kind { Scalar, Tensor, Workspace };
  Kind kind = Kind::Scalar;
  std::string name;
  ArgumentAccess access;
  std::string element; ///< as MLIR spells the type
  /// The extents of all dimensions of a workspace.
  std::vector<ExprAttr> workspaceExtents;
  /// The remaining fields are those of a tensor.
  std::vector<int64_t> extents;
  /// nullopt if the memref has no layout.
  std::optional<std::vector<int64_t>> strides;
  /// The number of the argument that callers may pass the same tensor for.
  std::optional<int64_t> mayAlias;
  bool isParameter = false;
  Sharing sharing = Sharing::None;
};

/// A parameter of the emitted kernel.
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

/// The CTAs of a variant that an SM of a chip holds, as an estimate.
struct OccupancyDescription {
  std::string chip;
  // The needs of a CTA, and the registers of a thread: nullopt if no assembler
  // has said.
  int64_t threads = 1;
  int64_t sharedBytes = 0;
  std::optional<int64_t> registers;
  int64_t ctasPerSM = 0;
  OccupancyLimit limit = OccupancyLimit::Blocks;
  // The CTAs for which each resource suffices, at most those of any kernel.
  int64_t byShared = 0, byThreads = 0;
  std::optional<int64_t> byRegisters;
  int64_t bytesInFlight = 0; ///< of all CTAs of the SM
};

struct VariantDescription {
  /// The function of the described module. Null in a package.
  mlir::gpu::GPUFuncOp function;
  std::string functionName;
  std::string moduleName;
  std::vector<std::string> chips;
  std::vector<GuardAttr> guards;
  ExprAttr cost = {}; ///< predicted nanoseconds of a launch, or null
  unsigned indexBits;
  std::vector<ParameterDescription> parameters;
  std::vector<TensorMapDescription> tensorMaps;
  std::array<ExprAttr, 3> grid;
  std::array<int64_t, 3> block;
  std::array<int64_t, 3> cluster;
  int64_t dynamicShared;
  bool isCooperative; ///< all CTAs are on the device at once
  int64_t staticShared = 0;
  /// The decisions about a kernel from the tile phase, and with them one
  /// occupancy for each chip.
  std::optional<KernelDecisions> decisions = {};
  std::vector<OccupancyDescription> occupancies = {};

  /// The guard on the compute capability that excludes devices of capability
  /// `sm` (10 * major + minor) from this variant, or null.
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
  std::string function = {}; ///< the kernel that it holds; all if empty
};

/// A bounded wait (`debug-waits`).
struct WaitDescription {
  uint32_t number;      ///< the number that a kernel records
  std::string function; ///< kernel or device function
  std::string barrier;
  WaitRole role;
  WaitPhase phase;
  std::string location; ///< "saxpy.mlir:14"; empty if unknown
};

/// A function that a module calls and doesn't define.
struct ExternDescription {
  std::string name; ///< an identifier
  /// "f32", "ptr", or "other" for a type without a C equivalent. nullopt for
  /// void.
  std::optional<std::string> result;
  std::vector<std::string> parameters;
};

struct ModuleDescription {
  std::string name;
  std::vector<ImageDescription> images;
  std::vector<WaitDescription> waits; ///< by number
  std::vector<ExternDescription> externs = {};
};

/// An operand of a step of a program.
struct OperandDescription {
  enum class Kind { Tensor, Constant, Scalar, Number, Bits };
  Kind kind = Kind::Tensor;
  std::string element; ///< as MLIR spells the type
  /// The number of the program's argument or constant.
  unsigned number = 0;
  // The view of a tensor or constant. The offset is in bytes, extents and
  // strides are in elements.
  ExprAttr offset = {};
  std::vector<ExprAttr> extents = {}, strides = {};
  ExprAttr value = {}; ///< Number
  int64_t bits = 0;    ///< Bits
};

struct StepDescription {
  enum class Kind { Launch, Fill, Copy, Matmul };
  Kind kind = Kind::Launch;
  std::string kernel; ///< Launch
  /// Launch: of each argument that the kernel's callers pass. Fill: value and
  /// target. Copy: source and target. Matmul: factors of (batches..., m, k) and
  /// (batches..., k, n), and target of (batches..., m, n).
  std::vector<OperandDescription> operands;
  // A Matmul has these.
  bool tf32 = false;
  LibraryFunction function = LibraryFunction::Identity;
  /// Operands of (n), of the target's dimensions, and of bytes.
  std::optional<OperandDescription> bias = {}, residual = {}, scratch = {};
  /// The kernel's origin.
  std::string family = {};
  std::vector<std::string> sources = {};
  bool isAtLoad = false; ///< launches may skip it
};

struct CheckDescription {
  GuardAttr guard;
  std::string message;
};

struct ConstantDescription {
  std::string element;
  std::vector<int64_t> extents;
  uint64_t offset = 0; ///< in the file
};

struct ProgramDescription {
  std::string name;
  std::vector<ArgumentDescription> arguments;
  std::vector<ConstantDescription> constants;
  std::vector<CheckDescription> checks;
  std::vector<StepDescription> steps;
};

/// The file of all constants.
struct ConstantFileDescription {
  std::string file;
  uint64_t bytes;
  std::string hash;
};

struct Manifest {
  std::string producer;
  std::vector<ModuleDescription> modules;
  std::vector<KernelDescription> kernels;
  std::vector<ProgramDescription> programs;
  std::optional<ConstantFileDescription> constants;
};

/// The kernels of a module at the machine phase, in module order. The chips of
/// variants are left empty. If a kernel has no launch, or an argument that a
/// package can't describe, emits an error and fails.
mlir::FailureOr<std::vector<KernelDescription>>
describeKernels(mlir::ModuleOp module, unsigned indexBits);

/// Describes how many CTAs of the variant an SM of `chip` holds. `registers`
/// are those of a thread, if an assembler has said.
OccupancyDescription describeOccupancy(const VariantDescription &variant,
                                       const TargetInfo &chip,
                                       std::optional<int64_t> registers);

/// The member "decisions" of a variant in the manifest.
llvm::json::Value toJSON(const VariantDescription &variant);

/// The numbered waits of a module, by number.
std::vector<WaitDescription> describeWaits(mlir::gpu::GPUModuleOp module);

/// The functions that a module declares and that the linker must provide. If
/// the name of one isn't a C identifier, emits an error and fails, because CUDA
/// C++ couldn't define it.
mlir::FailureOr<std::vector<ExternDescription>>
describeExterns(mlir::gpu::GPUModuleOp module, llvm::StringRef ptx,
                unsigned indexBits);

/// The text of manifest.json. Equal manifests have equal texts.
std::string printManifest(const Manifest &manifest);

/// SHA-256 as 64 lower-case hexadecimal digits.
std::string hashContents(llvm::StringRef contents);

} // namespace carousel

#endif // CAROUSEL_PACKAGE_DESCRIBEPACKAGE_H
