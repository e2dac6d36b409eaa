//===- Manifest.h - the contents of a manifest ------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain structs, one for each object of docs/Package.md, and the reader. A
// Manifest that the reader returns obeys all rules of that page: indices are in
// range, names are unique, and lists have the right length.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_MANIFEST_H
#define CAROUSEL_RUNTIME_MANIFEST_H

#include "carousel/Runtime/Decisions.h"
#include "carousel/Runtime/Error.h"
#include "carousel/Runtime/Types.h"
#include "carousel/Support/HardwareLimits.h"
#include "carousel/Support/PackageLimits.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carousel::runtime {

/// The newest manifest version that this library reads.
inline constexpr int kManifestVersion = 3;
/// The largest number of bytes of a manifest.
inline constexpr size_t kMaxManifestBytes = 16 << 20;
/// The largest number of bytes of all images of a package together.
inline constexpr uint64_t kMaxImageBytes = uint64_t(1) << 30;
/// The largest number of bytes of all constants of a package together.
inline constexpr uint64_t kMaxConstantBytes = uint64_t(1) << 40;
/// The largest number of bytes of a kernel's parameters.
inline constexpr size_t kMaxParameterBytes = rules::kMaxParameterBytes;
/// The largest number of bytes of any name.
inline constexpr size_t kMaxNameBytes = 1024;
/// The largest number of modules, kernels, images of a module, variants of a
/// kernel, or sets of arguments that a kernel is tuned for.
inline constexpr size_t kMaxEntries = 65536;
/// The largest number of elements of all lists of decisions in a manifest.
inline constexpr size_t kMaxDecisionEntries = size_t(1) << 19;
/// The largest number of guards, operators, operands, tensor maps and arguments
/// that a launch of a kernel, or of all steps of a program, looks at while it
/// looks for variants. It takes the host less than a second.
inline constexpr uint64_t kMaxLaunchWork = uint64_t(1) << 24;
/// The largest number of calls of the driver and of libraries for the fills,
/// copies and products of one launch of a program. Each takes the host about a
/// microsecond.
inline constexpr uint64_t kMaxStepCalls = uint64_t(1) << 20;
/// The largest number of nodes of one expression.
inline constexpr size_t kMaxExpressionNodes = 256;
/// The largest number of dimensions of a tensor map.
inline constexpr unsigned kMaxTensorMapRank = rules::kMaxTensorRank;
/// The smallest number of dimensions of a tensor map whose mode isn't tile.
inline constexpr unsigned kMinIm2ColRank = rules::kMinIm2ColRank;

/// An integer computed from arguments, as a postfix program: operands come
/// before their operator.
struct Expression {
  enum class Op : uint8_t {
    Constant,
    Extent,
    Stride,
    Scalar,
    SMs,
    Resident, ///< only in a grid
    Add,
    Sub,
    Mul,
    FloorDiv,
    CeilDiv,
    Mod,
    Min,
    Max,
  };
  struct Node {
    Op op;
    uint8_t dim = 0;       ///< Extent, Stride
    uint16_t argument = 0; ///< Extent, Stride, Scalar
    int64_t value = 0;     ///< Constant
  };
  std::vector<Node> nodes;

  bool uses(Op op) const noexcept {
    for (const Node &node : nodes)
      if (node.op == op)
        return true;
    return false;
  }
};

/// A value that a caller passes, or a workspace that the runtime allocates.
/// Workspaces come after all other arguments.
struct ArgumentInfo {
  enum class Kind : uint8_t { Tensor, Scalar, Workspace };
  enum class Access : uint8_t { In, Out, InOut };
  /// The GPUs that access a tensor during a launch: the launch's own only;
  /// peers too, in this rank's part of a symmetric buffer; it is a peer's part;
  /// or it is a multicast address, which stands for the parts of all.
  enum class Sharing : uint8_t { None, Symmetric, Peer, Multicast };
  /// An extent or a stride that the caller gives.
  static constexpr int64_t kDynamic = INT64_MIN;

  std::string name;
  Kind kind = Kind::Tensor;
  Access access = Access::InOut;
  ElementType element = ElementType::F32;
  std::vector<int64_t> extents;
  bool contiguous = true;
  std::vector<int64_t> strides; ///< empty if contiguous
  /// Tensor: the number of the argument that callers may pass the same tensor
  /// for.
  std::optional<uint16_t> mayAlias;
  /// The last argument before this one that callers may pass the same tensor
  /// for. These lead from one to the next, and to `mayAlias` in the end.
  std::optional<uint16_t> previousAlias;
  /// Tensor: the same elements at each launch, until its caller says otherwise.
  bool isParameter = false;
  Sharing sharing = Sharing::None;
  /// Workspace: all extents, computed from callers' arguments.
  std::vector<Expression> workspaceExtents;
};

struct Guard {
  enum class Kind : uint8_t { Capability, Aligned, Divisible, Range, Equal };
  Kind kind = Kind::Capability;
  uint16_t argument = 0; ///< Aligned
  int64_t least = 0; ///< Capability, Range: min; Aligned: bytes; Divisible: by
  int64_t most = 0;  ///< Capability (INT64_MAX: none), Range
  Expression value;  ///< Divisible, Range, Equal (left)
  Expression other;  ///< Equal (right)
};

struct Parameter {
  enum class Kind : uint8_t { Pointer, Extent, Stride, Scalar, TensorMap };
  Kind kind = Kind::Pointer;
  uint8_t dim = 0;       ///< Extent, Stride
  uint16_t argument = 0; ///< TensorMap: index of one of the variant's maps
};

/// The parameters of cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col that
/// don't depend on the tensor. Lists are outermost first. Enumerators have the
/// driver's numbers.
struct TensorMapFormat {
  enum class Element : uint8_t {
    U8 = 0,
    U16 = 1,
    U32 = 2,
    S32 = 3,
    U64 = 4,
    S64 = 5,
    F16 = 6,
    F32 = 7,
    F64 = 8,
    BF16 = 9,
    F32FTZ = 10,
    TF32 = 11,
    TF32FTZ = 12,
    B4x16 = 13,
    B4x16P64 = 14,
    B6x16P32 = 15,
  };
  enum class Mode : uint8_t { Tile, Im2Col, Im2ColW, Im2ColW128 };
  enum class Interleave : uint8_t { None = 0, B16 = 1, B32 = 2 };
  enum class Swizzle : uint8_t {
    None = 0,
    B32 = 1,
    B64 = 2,
    B128 = 3,
    B128Atom32 = 4,
    B128Atom32Flip8 = 5,
    B128Atom64 = 6,
  };
  enum class Promotion : uint8_t { None = 0, B64 = 1, B128 = 2, B256 = 3 };
  enum class Fill : uint8_t { Zero = 0, NaN = 1 };

  Element element = Element::F32;
  Mode mode = Mode::Tile;
  Interleave interleave = Interleave::None;
  Swizzle swizzle = Swizzle::None;
  Promotion promotion = Promotion::None;
  Fill fill = Fill::Zero;
  uint8_t rank = 0;
  std::vector<int64_t> box; ///< tile: `rank` extents; im2col: pixels, channels
  std::vector<int64_t> elementStrides; ///< `rank` of them
  std::vector<int64_t> lower, upper;   ///< im2col: corners of the bounding box
};

struct TensorMapInfo {
  TensorMapFormat format;
  uint16_t argument = 0;
  std::vector<Expression> extents; ///< `rank`, elements of the map
  std::vector<Expression> strides; ///< `rank` - 1, bytes
  Expression offset;               ///< bytes
};

struct Image {
  enum class Kind : uint8_t { Cubin, PTX, CUDA };
  std::string chip;
  Kind kind = Kind::PTX;
  std::string file;
  uint64_t bytes = 0;
  std::string hash;          ///< SHA-256, 64 hexadecimal digits
  std::string function = {}; ///< the only kernel in it; empty: all of them
};

/// A bounded wait. A kernel whose wait exceeds the bound records its number.
struct WaitInfo {
  enum class Role { All, Producer, Consumer };
  enum class Phase { Parity, State, Turn };

  uint32_t number = 0;
  std::string function;
  std::string barrier;
  Role role = Role::All;
  Phase phase = Phase::Parity;
  std::string location; ///< "saxpy.mlir:14"; empty if unknown
};

/// A function that a module declares and calls, but doesn't define.
struct ExternInfo {
  enum class Type : uint8_t {
    I1,
    I8,
    I16,
    I32,
    I64,
    F16,
    BF16,
    F32,
    F64,
    Pointer,
    Other, ///< a vector, or several values
  };
  std::string name;           ///< an identifier
  std::optional<Type> result; ///< none: void
  std::vector<Type> parameters;
};

struct ModuleInfo {
  std::string name;
  std::vector<Image> images;
  std::vector<ExternInfo> externs;
  std::vector<WaitInfo> waits;
};

struct VariantInfo {
  std::string function;
  uint32_t module = 0; ///< index into Manifest::modules
  std::vector<std::string> chips;
  std::vector<Guard> guards;
  unsigned indexBits = 64;
  std::vector<Parameter> parameters;
  std::vector<TensorMapInfo> tensorMaps;
  std::array<Expression, 3> grid;
  std::array<uint32_t, 3> block = {1, 1, 1};
  std::array<uint32_t, 3> cluster = {1, 1, 1};
  uint32_t dynamicShared = 0;
  bool cooperative = false; ///< all blocks are co-resident
  /// The predicted nanoseconds of a launch. See Kernel::launch.
  std::optional<Expression> cost;
  std::optional<DecisionInfo> decisions;
};

/// A number of a launch that callers determine: a dynamic extent of a tensor,
/// or a scalar that is an integer or an index.
struct TunedValue {
  uint16_t argument = 0;
  std::optional<uint8_t> dim; ///< of a tensor
};

/// Measured times of a kernel's variants, on a device and with some arguments.
struct TunedInfo {
  struct Time {
    uint32_t variant = 0; ///< index into KernelInfo::variants
    int64_t nanoseconds = 0;
  };
  std::string device;          ///< DeviceInfo::name
  std::vector<int64_t> values; ///< as SignatureInfo::getTunedValues lists them
  std::vector<Time> times;     ///< of different variants, the least first
};

/// The name that callers use, and the arguments that they pass.
struct SignatureInfo {
  std::string name;
  std::vector<ArgumentInfo> arguments;

  /// The number of arguments that callers pass; workspaces follow these.
  size_t countPassed() const noexcept;
  /// Whether an argument is in a symmetric buffer.
  bool hasShared() const noexcept;
  /// Returns the values that times are measured for, in the order of the
  /// arguments, of a tensor outermost first.
  std::vector<TunedValue> getTunedValues() const noexcept;
};

struct KernelInfo : SignatureInfo {
  std::vector<VariantInfo> variants; ///< most preferred first
  std::vector<TunedInfo> tuned;
};

/// Elements that a program has from the start.
struct ConstantInfo {
  ElementType element = ElementType::F32;
  std::vector<int64_t> extents;   ///< contiguous
  uint64_t offset = 0, bytes = 0; ///< in Manifest::constants
};

/// A file with the elements of constants.
struct ConstantFile {
  std::string file;
  uint64_t bytes = 0;
  std::string hash; ///< SHA-256, 64 hexadecimal digits
};

/// An operand that a step of a program gives to a kernel, fills or copies.
/// Expressions name arguments of the program.
struct OperandInfo {
  enum class Kind : uint8_t {
    Tensor,   ///< elements of a tensor or workspace of the program
    Constant, ///< elements of one of the program's constants
    Scalar,   ///< a scalar argument of the program
    Number,   ///< the low bits of the integer that `value` computes
    Bits,     ///< a scalar with the bits of `bits`
  };
  Kind kind = Kind::Tensor;
  ElementType element = ElementType::F32;
  uint16_t number = 0;             ///< of the argument or constant
  Expression offset;               ///< of the first element, in bytes
  std::vector<Expression> extents; ///< in elements
  std::vector<Expression> strides; ///< in elements
  Expression value;
  uint64_t bits = 0;

  bool isTensor() const noexcept {
    return kind == Kind::Tensor || kind == Kind::Constant;
  }
};

struct Manifest;

struct StepInfo {
  enum class Kind : uint8_t { Launch, Fill, Copy, Matmul };
  enum class Function : uint8_t { Identity, Relu, Gelu };
  Kind kind = Kind::Launch;
  uint32_t kernel = 0; ///< Launch: index into Manifest::kernels
  /// Launch: what callers of the kernel pass. Fill: a scalar and the target.
  /// Copy: source and target, of the same extents. Matmul: factors of
  /// (batches..., m, k) and (batches..., k, n), the target of (batches..., m,
  /// n), and what the numbers below name.
  std::vector<OperandInfo> operands;
  // A Matmul has these.
  bool tf32 = false; ///< the library may round factors of f32
  /// The function of each sum, with an element of the bias of (n) and one of
  /// the residual, which has the target's extents.
  Function function = Function::Identity;
  std::optional<uint32_t> bias, residual;
  std::optional<uint32_t> scratch; ///< bytes for the library
  /// The kernel's origin; empty if unknown.
  std::string family;
  std::vector<std::string> sources;
  /// Whether its results follow from parameters and constants, and no other
  /// step writes them, so that launches may skip it once it has run.
  bool isAtLoad = false;

  /// Whether it writes the elements of an operand.
  bool writes(size_t operand, const Manifest &manifest) const noexcept;
};

/// A condition of all launches of a program, and what it means if it fails.
struct CheckInfo {
  Guard guard;
  std::string message;
};

/// Several kernels, one after the other.
struct ProgramInfo : SignatureInfo {
  std::vector<ConstantInfo> constants;
  std::vector<CheckInfo> checks;
  std::vector<StepInfo> steps;
};

struct Manifest {
  std::string producer;
  std::vector<ModuleInfo> modules;
  std::vector<KernelInfo> kernels;
  std::vector<ProgramInfo> programs;
  std::optional<ConstantFile> constants; ///< of all programs

  /// Null if there is none.
  const KernelInfo *find(std::string_view kernel) const noexcept;
  const ProgramInfo *findProgram(std::string_view program) const noexcept;
};

/// Reads the text of a manifest.json. An error names the place as a path of
/// members: "kernels[0].variants[1].grid[0]: expected ..., got ...".
Result<Manifest> parseManifest(std::string_view text) noexcept;

/// The value as a caller would write it, with the arguments' names:
/// "min(ceildiv(x.extent(0), 4096), sms * 3)".
std::string toString(const Expression &expression,
                     const SignatureInfo &signature) noexcept;
/// "x is aligned to 16 bytes".
std::string toString(const Guard &guard,
                     const SignatureInfo &signature) noexcept;
/// The declaration in CUDA C++: "extern "C" __device__ float f(float, int)".
std::string toString(const ExternInfo &function) noexcept;
/// The word of a manifest: "launch".
const char *toString(StepInfo::Kind kind) noexcept;
/// "tensor<?x64xf32> x (in)", "tensor<?xi8> y (out, peer)", "index n",
/// "workspace<?xi32> semaphores".
std::string toString(const ArgumentInfo &argument) noexcept;
/// The same with a workspace's extents as the launch computes them:
/// "workspace<[ceildiv(x.extent(0), 128)] x i32> semaphores".
std::string toString(const ArgumentInfo &argument,
                     const SignatureInfo &signature) noexcept;

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_MANIFEST_H
