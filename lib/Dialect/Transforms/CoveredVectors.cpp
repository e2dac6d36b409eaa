//===- CoveredVectors.cpp - vectors that cover an extent ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See CoveredVectors.h. The ops whose width may change are listed; all others
// have a fixed one.
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/Transforms/CoveredVectors.h"

#include "carousel/Dialect/IR/DistributionOpInterface.h"
#include "carousel/Dialect/IR/KernelSignature.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace carousel;

bool carousel::isCovered(Type type, int64_t width) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && llvm::is_contained(vector.getShape(), width);
}

bool carousel::hasCovered(Operation *op, int64_t width) {
  auto isOf = [&](Type type) { return isCovered(type, width); };
  return llvm::any_of(op->getOperandTypes(), isOf) ||
         llvm::any_of(op->getResultTypes(), isOf) ||
         llvm::any_of(op->getRegions(), [&](Region &region) {
           return llvm::any_of(region.getArgumentTypes(), isOf);
         });
}

bool carousel::coversTwice(Operation *op, int64_t width) {
  auto isTwice = [&](Type type) {
    auto vector = dyn_cast<VectorType>(type);
    return vector && llvm::count(vector.getShape(), width) > 1;
  };
  return llvm::any_of(op->getOperandTypes(), isTwice) ||
         llvm::any_of(op->getResultTypes(), isTwice);
}

//===----------------------------------------------------------------------===//
// Ops of a fixed width
//===----------------------------------------------------------------------===//

static SmallVector<int64_t> dropUnitDims(VectorType type) {
  SmallVector<int64_t> extents;
  llvm::copy_if(type.getShape(), std::back_inserter(extents),
                [](int64_t extent) { return extent != 1; });
  return extents;
}

/// Whether a part of a vector has all of each covered dimension. Offsets and
/// sizes are given for the first `given` dimensions.
static bool hasWholeWidth(ArrayRef<int64_t> whole, ArrayRef<int64_t> part,
                          size_t given, int64_t width) {
  for (auto [dim, extents] : llvm::enumerate(llvm::zip_equal(whole, part))) {
    auto [ofWhole, ofPart] = extents;
    bool isCut = (ofWhole == width) != (ofPart == width);
    if (isCut || (ofWhole == width && dim < given))
      return false;
  }
  return true;
}

/// The dimensions at which single elements are taken are the leading ones.
static bool takesElement(VectorType type, size_t positions, int64_t width) {
  return llvm::is_contained(type.getShape().take_front(positions), width);
}

namespace {

constexpr StringLiteral kPart = "takes a part of a covered dimension";
constexpr StringLiteral kMixes = "makes other dimensions of a covered one";

} // namespace

/// Whether the op's maps keep each covered dimension.
static bool keepsColumns(DistributionOpInterface op, int64_t width) {
  ArrayRef<int64_t> shape =
      cast<VectorType>(op->getResult(0).getType()).getShape();
  for (const ElementSource &source : op.getElementSources()) {
    auto type = dyn_cast<VectorType>(op->getOperand(source.operand).getType());
    for (auto [dim, expr] : llvm::enumerate(source.map.getResults())) {
      bool isOf = type.getDimSize(dim) == width;
      for (auto [own, extent] : llvm::enumerate(shape))
        isOf |= extent == width && expr.isFunctionOfDim(own);
      auto same = dyn_cast<AffineDimExpr>(expr);
      if (isOf && (!same || type.getDimSize(dim) != width ||
                   shape[same.getPosition()] != width))
        return false;
    }
  }
  return true;
}

static StringRef explain(Operation *op, int64_t width) {
  if (OpTrait::hasElementwiseMappableTraits(op))
    return "";
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case([&](DistributionOpInterface own) {
        return keepsColumns(own, width) ? StringRef() : StringRef(kMixes);
      })
      .Case<vector::CreateMaskOp, vector::StepOp, vector::BroadcastOp,
            vector::TransposeOp, vector::MultiDimReductionOp,
            vector::ContractionOp, vector::TransferReadOp,
            vector::TransferWriteOp, vector::GatherOp, vector::ScatterOp,
            vector::MaskOp, vector::YieldOp, ub::PoisonOp, scf::ForOp,
            scf::IfOp, scf::WhileOp, scf::YieldOp, scf::ConditionOp>(
          [](Operation *) { return ""; })
      .Case([](arith::ConstantOp constant) {
        return isa<SplatElementsAttr>(constant.getValue())
                   ? ""
                   : "has an element for each column";
      })
      .Case([](vector::ConstantMaskOp) { return "has a size of its own"; })
      .Case([&](vector::ShapeCastOp cast) -> StringRef {
        bool isSame = dropUnitDims(cast.getSourceVectorType()) ==
                      dropUnitDims(cast.getResultVectorType());
        return isSame ? StringRef() : StringRef(kMixes);
      })
      .Case<vector::InterleaveOp, vector::DeinterleaveOp>(
          [&](Operation *pairs) -> StringRef {
            auto isOf = [&](Type type) {
              return cast<VectorType>(type).getShape().back() == width;
            };
            bool mixes = isOf(pairs->getOperand(0).getType()) ||
                         isOf(pairs->getResult(0).getType());
            return mixes ? StringRef(kMixes) : StringRef();
          })
      .Case([&](vector::ExtractStridedSliceOp slice) -> StringRef {
        return hasWholeWidth(slice.getSourceVectorType().getShape(),
                             slice.getType().getShape(),
                             slice.getOffsets().size(), width)
                   ? StringRef()
                   : StringRef(kPart);
      })
      .Case([&](vector::InsertStridedSliceOp slice) -> StringRef {
        ArrayRef<int64_t> part = slice.getSourceVectorType().getShape();
        ArrayRef<int64_t> whole = slice.getDestVectorType().getShape();
        size_t leading = whole.size() - part.size();
        bool isWhole =
            !llvm::is_contained(whole.take_front(leading), width) &&
            llvm::all_of_zip(whole.drop_front(leading), part,
                             [&](int64_t ofWhole, int64_t ofPart) {
                               return (ofWhole == width) == (ofPart == width);
                             });
        return isWhole ? StringRef() : StringRef(kPart);
      })
      .Case([&](vector::ExtractOp extract) -> StringRef {
        bool takes = takesElement(extract.getSourceVectorType(),
                                  extract.getNumIndices(), width);
        return takes ? StringRef(kPart) : StringRef();
      })
      .Case([&](vector::InsertOp insert) -> StringRef {
        bool takes = takesElement(insert.getDestVectorType(),
                                  insert.getNumIndices(), width);
        return takes ? StringRef(kPart) : StringRef();
      })
      .Default([](Operation *) { return "isn't known to go over columns"; });
}

std::string carousel::explainFixedWidth(Operation *op, int64_t width) {
  if (!hasCovered(op, width))
    return "";
  StringRef reason = op->hasAttr(CarouselDialect::kLayout)
                         ? StringRef("has a layout")
                         : explain(op, width);
  return reason.empty()
             ? ""
             : ("'" + op->getName().getStringRef() + "' " + reason).str();
}

std::optional<FixedWidth> carousel::findFixedWidth(gpu::GPUFuncOp kernel,
                                                   int64_t width) {
  std::optional<FixedWidth> found;
  kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    std::string reason = explainFixedWidth(op, width);
    if (reason.empty())
      return WalkResult::advance();
    found = {op, std::move(reason)};
    return WalkResult::interrupt();
  });
  return found;
}

//===----------------------------------------------------------------------===//
// Other widths
//===----------------------------------------------------------------------===//

void carousel::resizeVectors(gpu::GPUFuncOp kernel, int64_t from, int64_t to) {
  if (from == to)
    return;
  auto resize = [&](VectorType type) {
    SmallVector<int64_t> shape(type.getShape());
    for (int64_t &extent : shape)
      if (extent == from)
        extent = to;
    return VectorType::get(shape, type.getElementType());
  };
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](VectorType type) { return resize(type); });
  replacer.addReplacement(
      [&](SplatElementsAttr attr) -> std::optional<Attribute> {
        auto type = dyn_cast<VectorType>(attr.getType());
        if (!type)
          return std::nullopt;
        return DenseElementsAttr::get(resize(type),
                                      attr.getSplatValue<Attribute>());
      });
  replacer.recursivelyReplaceElementsIn(kernel, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
}

//===----------------------------------------------------------------------===//
// The extent
//===----------------------------------------------------------------------===//

namespace {

class ExtentWriter {
public:
  ExtentWriter(OpBuilder &builder, Location loc, gpu::GPUFuncOp kernel)
      : builder(builder), loc(loc), kernel(kernel) {}

  Value write(ExprAttr expr) {
    switch (expr.getKind()) {
    case ExprKind::Constant:
      return arith::ConstantIndexOp::create(builder, loc, expr.getValue());
    case ExprKind::Extent:
      return memref::DimOp::create(builder, loc, getArgument(expr),
                                   expr.getValue());
    case ExprKind::Scalar:
      return writeScalar(getArgument(expr));
    case ExprKind::Stride:
    case ExprKind::SMs:
    case ExprKind::Resident:
      return nullptr;
    default:
      break;
    }
    Value lhs = write(expr.getLhs()), rhs = write(expr.getRhs());
    return lhs && rhs ? combine(expr.getKind(), lhs, rhs) : nullptr;
  }

private:
  Value getArgument(ExprAttr expr) {
    return kernel.getArgument(getArgumentPositions(kernel)[expr.getArgument()]);
  }

  Value writeScalar(Value number) {
    if (number.getType().isIndex())
      return number;
    return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                      number);
  }

  /// Divisions round as those of the host do, also of negative numbers.
  Value combine(ExprKind kind, Value lhs, Value rhs) {
    switch (kind) {
    case ExprKind::Sub:
      return arith::SubIOp::create(builder, loc, lhs, rhs);
    case ExprKind::Mul:
      return arith::MulIOp::create(builder, loc, lhs, rhs);
    case ExprKind::FloorDiv:
      return arith::FloorDivSIOp::create(builder, loc, lhs, rhs);
    case ExprKind::CeilDiv:
      return arith::CeilDivSIOp::create(builder, loc, lhs, rhs);
    case ExprKind::Mod: {
      Value quotient = arith::FloorDivSIOp::create(builder, loc, lhs, rhs);
      Value whole = arith::MulIOp::create(builder, loc, quotient, rhs);
      return arith::SubIOp::create(builder, loc, lhs, whole);
    }
    case ExprKind::Min:
      return arith::MinSIOp::create(builder, loc, lhs, rhs);
    case ExprKind::Max:
      return arith::MaxSIOp::create(builder, loc, lhs, rhs);
    default:
      assert(kind == ExprKind::Add && "no other node has two operands");
      return arith::AddIOp::create(builder, loc, lhs, rhs);
    }
  }

  OpBuilder &builder;
  Location loc;
  gpu::GPUFuncOp kernel;
};

} // namespace

Value carousel::createExtent(OpBuilder &builder, Location loc,
                             gpu::GPUFuncOp kernel, ExprAttr expr) {
  Value extent = ExtentWriter(builder, loc, kernel).write(expr);
  if (!extent || expr.getKind() == ExprKind::Extent ||
      expr.getKind() == ExprKind::Constant)
    return extent;
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  return arith::MaxSIOp::create(builder, loc, extent, zero);
}
