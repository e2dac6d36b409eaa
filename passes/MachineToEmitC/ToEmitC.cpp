//===- ToEmitC.cpp - shared by the conversions to EmitC -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ToEmitC.h. Signless integers are unsigned in C++, because unsigned
// arithmetic wraps as MLIR's does.
//
//===----------------------------------------------------------------------===//

#include "ToEmitC.h"

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "carousel/Dialect/IR/KernelSignature.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

Type carousel::getSigned(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.getWidth() == 1)
    return type;
  return IntegerType::get(type.getContext(), integer.getWidth(),
                          IntegerType::Signed);
}

Type carousel::getUnsigned(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.getWidth() == 1)
    return type;
  return IntegerType::get(type.getContext(), integer.getWidth(),
                          IntegerType::Unsigned);
}

bool carousel::isBool(Type type) {
  return getElementTypeOrSelf(type).isInteger(1);
}

std::string carousel::spellElement(const CTypes &types, Type type,
                                   bool isSigned) {
  Type element = types.convertType(getElementTypeOrSelf(type));
  return types.spell(isSigned ? getSigned(element) : element);
}

bool carousel::isMovedOnly(Type type) {
  auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
  return element && element.getWidth() == 8;
}

/// The integers that C++ has.
static bool isCInteger(IntegerType type) {
  return llvm::is_contained({1u, 8u, 16u, 32u, 64u}, type.getWidth());
}

CTypes::CTypes(MLIRContext *context, unsigned indexBits)
    : indexType(IntegerType::get(context, indexBits, IntegerType::Unsigned)) {
  addConversion([](Type type) -> std::optional<Type> {
    if (isa<emitc::OpaqueType, emitc::PointerType, emitc::LValueType,
            emitc::ArrayType>(type))
      return type;
    return std::nullopt;
  });
  addConversion([this](IndexType) { return indexType; });
  addConversion([](IntegerType type) -> Type {
    return isCInteger(type) ? getUnsigned(type) : Type();
  });
  addConversion([](FloatType type) -> Type {
    if (type.isF16() || type.isBF16() || type.isF32() || type.isF64())
      return type;
    // Others are only moved.
    if (type.getWidth() == 8)
      return IntegerType::get(type.getContext(), 8, IntegerType::Unsigned);
    return Type();
  });
  addConversion([this](VectorType type) -> Type {
    Type element = convertType(type.getElementType());
    if (!element || type.isScalable())
      return Type();
    return emitc::OpaqueType::get(
        type.getContext(), "carousel::vec<" + spell(element) + ", " +
                               std::to_string(type.getNumElements()) + ">");
  });
  addConversion([](MbarrierStateType type) -> Type {
    return emitc::OpaqueType::get(type.getContext(),
                                  "carousel::mbarrier_state");
  });
  addConversion([](MatrixDescriptorType type) -> Type {
    return IntegerType::get(type.getContext(), 64, IntegerType::Unsigned);
  });
  // As PTX has them. Conversions to narrower elements would access registers
  // while products are in flight.
  addConversion([this](WgmmaRegistersType type) -> Type {
    VectorType vector = type.getVector();
    constexpr int64_t kSumsRank = 3, kRegisterBits = 32;
    if (vector.getElementType().isF32() && vector.getRank() == kSumsRank)
      return convertType(vector);
    int64_t bits = vector.getNumElements() * vector.getElementTypeBitWidth();
    return convertType(
        VectorType::get(bits / kRegisterBits,
                        IntegerType::get(type.getContext(), kRegisterBits)));
  });
  addConversion([](TensorMapType type) -> Type {
    return emitc::PointerType::get(emitc::OpaqueType::get(
        type.getContext(), "const carousel::tensor_map"));
  });
  // A kernel's parameter is the descriptor itself.
  addTargetMaterialization([](OpBuilder &builder, Type type, ValueRange inputs,
                              Location loc) -> Value {
    if (inputs.size() != 1 || !isa<emitc::PointerType>(type) ||
        !isa<emitc::OpaqueType>(inputs.front().getType()))
      return Value();
    auto address = emitc::CallOpaqueOp::create(builder, loc, type, "&", inputs);
    address->setDiscardableAttr(TextAttrs::kPure, builder.getUnitAttr());
    return address.getResult(0);
  });
  addConversion(
      [this](MemRefType type,
             SmallVectorImpl<Type> &results) -> std::optional<LogicalResult> {
        Type element = getElementType(type.getElementType());
        if (!element || !type.isStrided())
          return failure();
        results.push_back(emitc::PointerType::get(element));
        results.append(getPassedExtents(type).size() +
                           getPassedStrides(type).size(),
                       indexType);
        return success();
      });
}

Type CTypes::getElementType(Type type) const {
  if (isa<MbarrierType>(type))
    return emitc::OpaqueType::get(type.getContext(), "carousel::mbarrier");
  if (isa<TensorMapType>(type))
    return emitc::OpaqueType::get(type.getContext(), "carousel::tensor_map");
  if (isa<MemRefType>(type))
    return Type();
  return convertType(type);
}

emitc::ArrayType CTypes::getArray(MemRefType type) const {
  SmallVector<Type> converted;
  if (!type.hasStaticShape() || !type.getLayout().isIdentity() ||
      failed(convertType(type, converted)))
    return {};
  return emitc::ArrayType::get(
      {std::max<int64_t>(type.getNumElements(), 1)},
      cast<emitc::PointerType>(converted.front()).getPointee());
}

std::string CTypes::spell(Type type) const {
  if (auto opaque = dyn_cast<emitc::OpaqueType>(type))
    return opaque.getValue().str();
  if (auto pointer = dyn_cast<emitc::PointerType>(type))
    return spell(pointer.getPointee()) + " *";
  if (auto integer = dyn_cast<IntegerType>(type)) {
    if (integer.getWidth() == 1)
      return "bool";
    return (integer.isSigned() ? "int" : "uint") +
           std::to_string(integer.getWidth()) + "_t";
  }
  if (type.isF16())
    return "carousel::f16";
  if (type.isBF16())
    return "carousel::bf16";
  if (type.isF32())
    return "float";
  if (type.isF64())
    return "double";
  return {};
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

std::optional<int64_t> carousel::getConstant(Value value) {
  auto constant = value.getDefiningOp<emitc::ConstantOp>();
  if (!constant)
    return std::nullopt;
  auto integer = dyn_cast<IntegerAttr>(constant.getValue());
  if (!integer || integer.getValue().getBitWidth() > 64)
    return std::nullopt;
  return integer.getValue().getSExtValue();
}

Value CBuilder::compare(emitc::CmpPredicate predicate, Value lhs, Value rhs) {
  Type type = rewriter.getI1Type();
  if (auto opaque = dyn_cast<emitc::OpaqueType>(lhs.getType())) {
    // A vector's: carousel::vec<T, N> to carousel::vec<bool, N>.
    StringRef text = opaque.getValue();
    type = emitc::OpaqueType::get(
        type.getContext(),
        ("carousel::vec<bool" + text.substr(text.rfind(','))).str());
  }
  return emitc::CmpOp::create(rewriter, loc, type, predicate, lhs, rhs);
}

Value CBuilder::cast(Value value, Type type) {
  if (value.getType() == type)
    return value;
  return emitc::CastOp::create(rewriter, loc, type, value);
}

Value CBuilder::negate(Value value) {
  if (value.getType().isInteger(1))
    return emitc::LogicalNotOp::create(rewriter, loc, value.getType(), value);
  return pure(value.getType(), "!", value);
}

Value CBuilder::constant(Type type, int64_t value) {
  Attribute attr;
  if (auto integer = dyn_cast<IntegerType>(type))
    attr = IntegerAttr::get(type,
                            APInt(integer.getWidth(), value, /*isSigned=*/true,
                                  /*implicitTrunc=*/true));
  else
    attr = FloatAttr::get(type, static_cast<double>(value));
  return emitc::ConstantOp::create(rewriter, loc, type, attr);
}

Value CBuilder::literal(StringRef text, Type type) {
  return emitc::LiteralOp::create(rewriter, loc, type,
                                  rewriter.getStringAttr(text));
}

Value CBuilder::select(Value condition, Value yes, Value no) {
  return emitc::ConditionalOp::create(rewriter, loc, yes.getType(), condition,
                                      yes, no);
}

emitc::CallOpaqueOp CBuilder::call(Type result, StringRef callee,
                                   ValueRange operands,
                                   ArrayRef<std::string> arguments) {
  SmallVector<Attribute> attrs;
  for (const std::string &argument : arguments)
    attrs.push_back(emitc::OpaqueAttr::get(rewriter.getContext(), argument));
  return emitc::CallOpaqueOp::create(
      rewriter, loc, result ? TypeRange(result) : TypeRange(),
      rewriter.getStringAttr(callee), /*args=*/ArrayAttr(),
      attrs.empty() ? ArrayAttr() : rewriter.getArrayAttr(attrs), operands);
}

Value CBuilder::pure(Type result, StringRef callee, ValueRange operands,
                     ArrayRef<std::string> templateArguments) {
  emitc::CallOpaqueOp op = call(result, callee, operands, templateArguments);
  op->setDiscardableAttr(TextAttrs::kPure, rewriter.getUnitAttr());
  return op.getResult(0);
}

Value CBuilder::list(Type type, ValueRange elements) {
  return pure(type, TextAttrs::kList, elements);
}

//===----------------------------------------------------------------------===//
// Variables and memory
//===----------------------------------------------------------------------===//

Value CBuilder::variable(Type type) {
  return emitc::VariableOp::create(
      rewriter, loc, emitc::LValueType::get(type),
      emitc::OpaqueAttr::get(rewriter.getContext(), ""));
}

Value CBuilder::array(MemRefType type, Attribute alignment, bool isShared) {
  emitc::ArrayType arrayType = types.getArray(type);
  if (!arrayType)
    return Value();
  auto array = emitc::VariableOp::create(
      rewriter, loc, arrayType,
      emitc::OpaqueAttr::get(rewriter.getContext(), ""));
  if (isShared)
    array->setDiscardableAttr(TextAttrs::kShared, rewriter.getUnitAttr());
  if (alignment)
    array->setDiscardableAttr(TextAttrs::kAlign, alignment);
  return cast(array.getResult(),
              emitc::PointerType::get(arrayType.getElementType()));
}

Value CBuilder::load(Value lvalue) {
  return emitc::LoadOp::create(
      rewriter, loc,
      llvm::cast<emitc::LValueType>(lvalue.getType()).getValueType(), lvalue);
}

void CBuilder::assign(Value variable, Value value) {
  emitc::AssignOp::create(rewriter, loc, variable, value);
}

Value CBuilder::subscript(Value pointer, Value index) {
  return emitc::SubscriptOp::create(
      rewriter, loc, llvm::cast<TypedValue<emitc::PointerType>>(pointer),
      index);
}

Value CBuilder::addIndex(Value lhs, Value rhs) {
  if (!lhs || getConstant(lhs) == 0)
    return rhs;
  if (!rhs || getConstant(rhs) == 0)
    return lhs;
  if (auto left = getConstant(lhs), right = getConstant(rhs); left && right)
    return index(*left + *right);
  return binary<emitc::AddOp>(lhs, rhs);
}

Value CBuilder::mulIndex(Value lhs, Value rhs) {
  std::optional<int64_t> left = getConstant(lhs), right = getConstant(rhs);
  if (left == 1 || right == 0)
    return rhs;
  if (right == 1 || left == 0)
    return lhs;
  if (left && right)
    return index(*left * *right);
  return binary<emitc::MulOp>(lhs, rhs);
}

Value CBuilder::extent(MemRefType type, ValueRange converted, unsigned dim) {
  if (!type.isDynamicDim(dim))
    return index(type.getDimSize(dim));
  SmallVector<unsigned> passed = getPassedExtents(type);
  return converted[1 + (llvm::find(passed, dim) - passed.begin())];
}

Value CBuilder::stride(MemRefType type, ValueRange converted, unsigned dim) {
  auto [strides, offset] = type.getStridesAndOffset();
  if (!ShapedType::isDynamic(strides[dim]))
    return index(strides[dim]);
  SmallVector<unsigned> passed = getPassedStrides(type);
  auto *found = llvm::find(passed, dim);
  if (found != passed.end())
    return converted[1 + getPassedExtents(type).size() +
                     (found - passed.begin())];
  // A contiguous memref's follow from the extents.
  Value product = index(1);
  for (unsigned inner = dim + 1; inner < type.getRank(); ++inner)
    product = mulIndex(product, extent(type, converted, inner));
  return product;
}

Value CBuilder::linearize(MemRefType type, ValueRange converted,
                          ArrayRef<Value> indices) {
  auto [strides, offset] = type.getStridesAndOffset();
  Value sum;
  for (auto [dim, position] : llvm::enumerate(indices))
    if (getConstant(position) != 0)
      sum = addIndex(sum, mulIndex(position, stride(type, converted, dim)));
  if (!ShapedType::isDynamic(offset) && offset != 0)
    sum = addIndex(sum, index(offset));
  return sum ? sum : index(0);
}

Value CBuilder::advance(Value pointer, Value elements) {
  if (getConstant(elements) == 0)
    return pointer;
  return emitc::AddOp::create(rewriter, loc, pointer.getType(), pointer,
                              elements);
}

Value CBuilder::element(MemRefType type, ValueRange converted,
                        ArrayRef<Value> indices) {
  return advance(converted[0], linearize(type, converted, indices));
}

//===----------------------------------------------------------------------===//
// Patterns by name
//===----------------------------------------------------------------------===//

namespace {

class NamedPattern : public ConversionPattern {
public:
  NamedPattern(const CTypes &types, StringRef op, MLIRContext *context,
               NamedFunction function, StringRef text)
      : ConversionPattern(types, op, /*benefit=*/1, context), types(types),
        function(function), text(text) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override {
    // A byte of C++ would be taken for an integer.
    if (!isa<arith::BitcastOp>(op) &&
        (llvm::any_of(op->getOperandTypes(), isMovedOnly) ||
         llvm::any_of(op->getResultTypes(), isMovedOnly)))
      return rewriter.notifyMatchFailure(op, "8-bit floats are only moved");
    CBuilder builder(rewriter, op->getLoc(), types);
    return function(op, operands, builder, text);
  }

private:
  const CTypes &types;
  NamedFunction function;
  StringRef text;
};

} // namespace

void carousel::addNamedPattern(RewritePatternSet &patterns, const CTypes &types,
                               StringRef op, NamedFunction function,
                               StringRef text) {
  patterns.add<NamedPattern>(types, op, patterns.getContext(), function, text);
}
