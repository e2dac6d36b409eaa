//===- FreeVectors.cpp - vectors that threads compute ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See FreeVectors.h.
//
//===----------------------------------------------------------------------===//

#include "FreeVectors.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace carousel;

static Value makeMask(ThreadProgram &program, const LinearLayout &layout,
                      ArrayRef<Value> sizes) {
  OpBuilder &builder = program.builder;
  Value all;
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    Value inside = program.compareCoordinatesWith(
        layout, dim, arith::CmpIPredicate::slt, size);
    all =
        all ? arith::AndIOp::create(builder, program.loc, all, inside) : inside;
  }
  return all;
}

//===----------------------------------------------------------------------===//
// Constants whose elements differ
//===----------------------------------------------------------------------===//

/// The number of the constant's element at coordinates; nullopt where they only
/// fill an extent up to a power of two.
template <typename Coordinates>
static std::optional<int64_t> findElement(ArrayRef<int64_t> shape,
                                          const Coordinates &coordinates) {
  int64_t element = 0;
  for (auto [extent, at] : llvm::zip_equal(shape, coordinates)) {
    if (at >= extent)
      return std::nullopt;
    element = element * extent + at;
  }
  return element;
}

/// The coordinates of register 0 in each thread that has elements of its own.
static std::vector<SmallVector<uint32_t>>
getThreadCoordinates(const LinearLayout &layout) {
  unsigned rank = layout.getExtentBits().size();
  std::vector<SmallVector<uint32_t>> all = {SmallVector<uint32_t>(rank, 0)};
  for (Place place : {Place::Lane, Place::Warp, Place::CTA})
    for (const auto &basis : layout.getBases(place)) {
      if (llvm::all_of(basis, [](uint32_t number) { return number == 0; }))
        continue;
      for (size_t i = 0, count = all.size(); i < count; ++i) {
        SmallVector<uint32_t> other(all[i]);
        for (auto [own, number] : llvm::zip_equal(other, basis))
          own ^= number;
        all.push_back(other);
      }
    }
  return all;
}

/// The elements of a thread's registers, if they are those of all threads.
static std::optional<SmallVector<Attribute>>
findCommonElements(DenseElementsAttr elements, const LinearLayout &layout) {
  auto values = elements.getValues<Attribute>();
  std::vector<SmallVector<uint32_t>> threads = getThreadCoordinates(layout);
  SmallVector<Attribute> common;
  for (uint32_t number = 0; number < countRegisters(layout); ++number) {
    SmallVector<uint32_t> own = getRegisterCoordinates(layout, number);
    Attribute found;
    for (const SmallVector<uint32_t> &thread : threads) {
      SmallVector<uint32_t> at(own);
      for (auto [coordinate, ofThread] : llvm::zip_equal(at, thread))
        coordinate ^= ofThread;
      std::optional<int64_t> element =
          findElement(elements.getType().getShape(), at);
      if (!element)
        continue;
      if (found && found != values[*element])
        return std::nullopt;
      found = values[*element];
    }
    common.push_back(found ? found : values[0]);
  }
  return common;
}

/// A table in global memory with the elements, and others up to extents that
/// are powers of two. Equal constants of a module share one.
static Value makeTable(ThreadProgram &program, DenseElementsAttr elements,
                       const LinearLayout &layout) {
  OpBuilder &builder = program.builder;
  Type element = elements.getElementType();
  Type stored = element.isInteger(1) ? builder.getI8Type() : element;
  SmallVector<int64_t> shape;
  for (unsigned bits : layout.getExtentBits())
    shape.push_back(int64_t(1) << bits);
  SmallVector<int64_t> strides = computeSuffixProduct(shape);
  auto values = elements.getValues<Attribute>();
  SmallVector<Attribute> all;
  for (int64_t i = 0; i < computeProduct(shape); ++i) {
    SmallVector<int64_t> at = delinearize(i, strides);
    Attribute value =
        values[findElement(elements.getType().getShape(), at).value_or(0)];
    if (stored != element)
      value = builder.getIntegerAttr(
          stored, cast<IntegerAttr>(value).getValue().zext(8));
    all.push_back(value);
  }
  auto initial =
      DenseElementsAttr::get(RankedTensorType::get(shape, stored), all);
  auto type =
      MemRefType::get(shape, stored, MemRefLayoutAttrInterface(),
                      gpu::AddressSpaceAttr::get(builder.getContext(),
                                                 gpu::AddressSpace::Global));
  auto module =
      program.getEntry()->getParentOp()->getParentOfType<gpu::GPUModuleOp>();
  SymbolTable symbols(module);
  memref::GlobalOp table;
  for (auto other : module.getOps<memref::GlobalOp>())
    if (other.getConstant() && other.getType() == type &&
        other.getInitialValueAttr() == initial)
      table = other;
  if (!table) {
    OpBuilder atModule = OpBuilder::atBlockBegin(module.getBody());
    table = memref::GlobalOp::create(
        atModule, program.loc, "constant", builder.getStringAttr("private"),
        type, initial, /*constant=*/true, /*alignment=*/nullptr);
    symbols.insert(table);
  }
  return memref::GetGlobalOp::create(builder, program.loc, type,
                                     table.getSymName());
}

static Value makeConstant(ThreadProgram &program, DenseElementsAttr elements,
                          const LinearLayout &layout, VectorType type) {
  OpBuilder &builder = program.builder;
  if (auto common = findCommonElements(elements, layout))
    return arith::ConstantOp::create(builder, program.loc,
                                     DenseElementsAttr::get(type, *common));
  Value table = makeTable(program, elements, layout);
  SmallVector<Value> registers;
  for (uint32_t number = 0; number < countRegisters(layout); ++number) {
    SmallVector<Value> place;
    for (unsigned dim = 0; dim < layout.getExtentBits().size(); ++dim)
      place.push_back(program.getCoordinate(layout, dim, number));
    Value value = memref::LoadOp::create(builder, program.loc, table, place);
    if (value.getType() != type.getElementType())
      value = arith::TruncIOp::create(builder, program.loc,
                                      type.getElementType(), value);
    registers.push_back(value);
  }
  return vector::FromElementsOp::create(builder, program.loc, type, registers);
}

//===----------------------------------------------------------------------===//
// All kinds
//===----------------------------------------------------------------------===//

bool carousel::isFreeVector(Operation *op) {
  if (auto copies = dyn_cast<vector::BroadcastOp>(op))
    return !isa<VectorType>(copies.getSourceType());
  return isa<arith::ConstantOp, ub::PoisonOp, vector::CreateMaskOp,
             vector::ConstantMaskOp, vector::StepOp>(op);
}

Value carousel::makeFreeVector(ThreadProgram &program, Value vector,
                               const LinearLayout &layout,
                               const IRMapping &scalars) {
  OpBuilder &builder = program.builder;
  VectorType type = getThreadType(vector.getType(), layout);
  return llvm::TypeSwitch<Operation *, Value>(vector.getDefiningOp())
      .Case([&](arith::ConstantOp constant) {
        auto elements = cast<DenseElementsAttr>(constant.getValue());
        return elements.isSplat()
                   ? program.constant(type, elements.getSplatValue<TypedAttr>())
                   : makeConstant(program, elements, layout, type);
      })
      .Case([&](vector::BroadcastOp broadcast) -> Value {
        return vector::BroadcastOp::create(
            builder, program.loc, type, scalars.lookup(broadcast.getSource()));
      })
      .Case([&](vector::StepOp) { return program.getCoordinates(layout, 0); })
      .Case([&](vector::CreateMaskOp mask) {
        SmallVector<Value> sizes;
        for (Value size : mask.getOperands())
          sizes.push_back(scalars.lookup(size));
        return makeMask(program, layout, sizes);
      })
      .Case([&](vector::ConstantMaskOp mask) {
        SmallVector<Value> sizes;
        for (int64_t size : mask.getMaskDimSizes())
          sizes.push_back(program.index(size));
        return makeMask(program, layout, sizes);
      })
      .Default([&](Operation *) -> Value {
        return ub::PoisonOp::create(builder, program.loc, type);
      });
}

/// A vector.step, or copies of it.
static std::optional<unsigned> findSteps(Value vector) {
  if (vector.getDefiningOp<vector::StepOp>())
    return 0;
  auto copies = vector.getDefiningOp<vector::BroadcastOp>();
  if (!copies || !copies.getSource().getDefiningOp<vector::StepOp>())
    return std::nullopt;
  return copies.getResultVectorType().getRank() - 1;
}

std::optional<unsigned> carousel::findComparedSteps(Operation *op) {
  auto compare = dyn_cast<arith::CmpIOp>(op);
  if (!compare || compare.getPredicate() >= arith::CmpIPredicate::ult)
    return std::nullopt;
  auto type = cast<VectorType>(compare.getLhs().getType());
  return type.getElementType().isIndex() ? findSteps(compare.getLhs())
                                         : std::nullopt;
}
