//===- WgmmaToEmitC.cpp - products of a warpgroup to EmitC ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts the ops to calls of carousel/device/wgmma.h, except products. Inline
// PTX is a literal that names each register, so a header would need a function
// for each of some thousand forms. A module has functions for the forms that it
// uses instead. Sums are changed in place: a product takes a vector and returns
// it, and both are the same registers once the call is inlined.
//
//===----------------------------------------------------------------------===//

#include "CarouselToEmitC.h"

#include "carousel/Dialect/IR/CarouselWgmmaOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

/// The distance of a matrix from the memref's pointer, in pieces of 16 bytes.
/// What is constant is added last, so that descriptors of one tile share the
/// rest.
static Value countPieces(CBuilder &builder, MemRefType type,
                         ValueRange converted, ArrayRef<Value> indices) {
  auto [strides, offset] = type.getStridesAndOffset();
  constexpr int64_t kPiece = 16;
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  int64_t elements = kPiece / bytes;
  // In elements: what is constant, and what isn't whole pieces.
  int64_t constant = ShapedType::isDynamic(offset) ? 0 : offset;
  Value pieces, loose;
  for (auto [dim, index] : llvm::enumerate(indices)) {
    std::optional<int64_t> known = getConstant(index);
    bool isWhole =
        !ShapedType::isDynamic(strides[dim]) && strides[dim] % elements == 0;
    if (known && !ShapedType::isDynamic(strides[dim]))
      constant += *known * strides[dim];
    else if (isWhole)
      pieces = builder.addIndex(
          pieces,
          builder.mulIndex(index, builder.index(strides[dim] / elements)));
    else
      loose = builder.addIndex(
          loose, builder.mulIndex(index, builder.stride(type, converted, dim)));
  }
  // The parts of a piece count together.
  if (constant % elements != 0)
    loose = builder.addIndex(loose, builder.index(constant % elements));
  if (loose)
    pieces = builder.addIndex(
        pieces, builder.binary<emitc::BitwiseRightShiftOp>(
                    loose, builder.index(llvm::Log2_64(elements))));
  return builder.addIndex(pieces, builder.index(constant / elements));
}

static LogicalResult lowerDescriptor(WgmmaDescriptorOp op,
                                     AdaptorOf<WgmmaDescriptorOp> adaptor,
                                     CBuilder &builder) {
  MemRefType type = op.getSource().getType();
  std::string why;
  std::optional<MatrixLayout> layout = getMatrixLayout(
      type, op.getSwizzle(), op.getResult().getType().getMajor(), why);
  if (!layout) // excluded by C319 and C321
    return builder.rewriter.notifyMatchFailure(op, why);
  Value pieces = countPieces(builder, type, adaptor.getSource(),
                             flatten(adaptor.getIndices()));
  DeviceCall call(op, builder);
  call.value(ValueRange(adaptor.getSource().front()));
  if (getConstant(pieces) != 0)
    call.value(pieces);
  return call
      .argument("0x" + llvm::utohexstr(layout->getBits(), /*LowerCase=*/true) +
                "u")
      .finish();
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// The same bits as another type.
static Value castBits(CBuilder &builder, Value value, Type type) {
  if (value.getType() == type)
    return value;
  return builder.pure(type, "carousel::bit_cast", value,
                      {builder.types.spell(type)});
}

/// A call that takes registers and returns them: none, one, or
/// carousel::results of several.
static SmallVector<Value> passRegisters(CBuilder &builder, StringRef callee,
                                        ArrayRef<Value> registers,
                                        ArrayRef<std::string> arguments) {
  Type result;
  std::string all;
  for (Value each : registers) {
    result = each.getType();
    all += (all.empty() ? "" : ", ") + builder.types.spell(result);
  }
  if (registers.size() > 1)
    result = emitc::OpaqueType::get(builder.rewriter.getContext(),
                                    "carousel::results<" + all + ">");
  auto call = builder.call(result, callee, registers, arguments);
  if (registers.size() <= 1)
    return llvm::to_vector(ValueRange(call.getResults()));
  SmallVector<Value> results;
  for (auto [i, each] : llvm::enumerate(registers))
    results.push_back(builder.pure(each.getType(), "carousel::result",
                                   call.getResult(0), {std::to_string(i)}));
  return results;
}

/// The registers of a thread's part of the first factor.
static constexpr int64_t kFactorRegisters = 4;

/// Whether these are registers of a thread's part of the first factor.
static bool isFirstFactor(Type type) {
  VectorType vector = cast<WgmmaRegistersType>(type).getVector();
  return vector.getElementType().isInteger(32) &&
         vector.getNumElements() == kFactorRegisters;
}

static bool isSumsOfF32(Type type) {
  return cast<WgmmaRegistersType>(type).getVector().getElementType().isF32();
}

static void renew(CBuilder &builder, StringRef function, Value &registers) {
  registers = passRegisters(builder, function, registers, {}).front();
}

static LogicalResult lowerFence(WgmmaFenceOp op,
                                AdaptorOf<WgmmaFenceOp> adaptor,
                                CBuilder &builder) {
  SmallVector<Value> registers;
  for (auto [vector, result] :
       llvm::zip_equal(flatten(adaptor.getVectors()), op.getResultTypes())) {
    registers.push_back(
        castBits(builder, vector, builder.types.convertType(result)));
    if (op.getRenews() && isFirstFactor(result))
      renew(builder, "carousel::wgmma_renew", registers.back());
    if (op.getRenewsSums() && isSumsOfF32(result))
      renew(builder, "carousel::wgmma_renew_sums", registers.back());
  }
  builder.rewriter.replaceOp(
      op, passRegisters(builder, "carousel::wgmma_fence", registers, {}));
  return success();
}

static LogicalResult lowerWait(WgmmaWaitOp op, AdaptorOf<WgmmaWaitOp> adaptor,
                               CBuilder &builder) {
  SmallVector<Value> vectors = passRegisters(builder, "carousel::wgmma_wait",
                                             flatten(adaptor.getRegisters()),
                                             {std::to_string(op.getPending())});
  if (op.getRenewsSums() && !vectors.empty() &&
      isSumsOfF32(op.getRegisters().front().getType()))
    renew(builder, "carousel::wgmma_renew_sums", vectors.front());
  for (auto [vector, result] : llvm::zip_equal(vectors, op.getResultTypes())) {
    Type type = builder.types.convertType(result);
    if (!type)
      return failure();
    vector = castBits(builder, vector, type);
  }
  builder.rewriter.replaceOp(op, vectors);
  return success();
}

static LogicalResult lowerCommit(WgmmaCommitOp op, AdaptorOf<WgmmaCommitOp>,
                                 CBuilder &builder) {
  return DeviceCall(op, builder).finish();
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// "wgmma_m64n256k16_f32_bf16_bf16_b_mn": all that the text depends on.
static std::string nameForm(const WgmmaForm &form) {
  std::string name = "wgmma_" + form.getName();
  llvm::replace(name, '.', '_');
  if (form.aInRegisters)
    name += "_a_registers";
  for (auto [isSet, suffix] :
       {std::pair(form.majorA == MatrixMajor::MN, "_a_mn"),
        std::pair(form.majorB == MatrixMajor::MN, "_b_mn"),
        std::pair(form.negateA, "_negate_a"),
        std::pair(form.negateB, "_negate_b")})
    if (isSet)
      name += suffix;
  return name;
}

/// A statement of inline PTX as a format string of emitc.verbatim, whose
/// operands are `d` for each of its registers, then the factors and the scale.
static std::string spellStatement(const WgmmaForm &form) {
  // Lines of whole operands.
  constexpr size_t kColumns = 72;
  std::string ptx = form.getText("%"), line;
  SmallVector<std::string> lines;
  for (StringRef rest = ptx; !rest.empty();) {
    size_t space = rest.find(' ');
    StringRef word =
        rest.take_front(space == StringRef::npos ? space : space + 1);
    rest = rest.drop_front(word.size());
    if (!line.empty() && line.size() + word.size() > kColumns) {
      lines.push_back(line);
      line.clear();
    }
    for (char c : word)
      line += c == '{' ? std::string("{{") : std::string(1, c);
  }
  lines.push_back(line);
  std::string text = "asm volatile(\"" + llvm::join(lines, "\"\n\"") + "\"\n: ";
  std::string sum = form.sum.isF32() ? "\"+f\"({}[" : "\"+r\"({}[";
  for (int64_t i = 0, e = form.getSumRegisters(); i < e; ++i)
    text += (i ? ", " : "") + sum + std::to_string(i) + "])";
  text += "\n: ";
  if (form.aInRegisters)
    for (int64_t i = 0; i < kFactorRegisters; ++i)
      text += "\"r\"({}[" + std::to_string(i) + "]), ";
  else
    text += "\"l\"({}), ";
  return text + "\"l\"({}), \"r\"({})\n: \"memory\");";
}

namespace {

/// The functions that a module has by now.
struct Functions {
  llvm::StringMap<emitc::FuncOp> byForm;
  emitc::FuncOp last;
};

/// Converts products to calls of functions, which it defines.
class MmaToEmitC : public OpConversionPattern<WgmmaMmaOp> {
public:
  MmaToEmitC(const CTypes &types, MLIRContext *context)
      : OpConversionPattern(types, context), types(types) {}

  LogicalResult
  matchAndRewrite(WgmmaMmaOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    CBuilder builder(rewriter, op.getLoc(), types);
    Value sums = one(adaptor.getSums()), a = one(adaptor.getA()),
          b = one(adaptor.getB());
    Type word = IntegerType::get(op.getContext(), 32, IntegerType::Unsigned);
    Value scale;
    if (adaptor.getScale().empty())
      scale = builder.constant(word, 1);
    else if (std::optional<int64_t> known =
                 getConstant(one(adaptor.getScale())))
      scale = builder.constant(word, *known & 1);
    else
      scale = builder.cast(one(adaptor.getScale()), word);
    emitc::FuncOp function = getFunction(
        op, {sums.getType(), a.getType(), b.getType(), word}, rewriter);
    auto call = emitc::CallOp::create(rewriter, op.getLoc(), function,
                                      ValueRange{sums, a, b, scale});
    rewriter.replaceOp(op, call.getResults());
    return success();
  }

private:
  emitc::FuncOp getFunction(WgmmaMmaOp op, ArrayRef<Type> arguments,
                            ConversionPatternRewriter &rewriter) const;
  void buildBody(emitc::FuncOp function, const WgmmaForm &form,
                 ConversionPatternRewriter &rewriter) const;

  const CTypes &types;
  /// The functions of one module, for which the patterns are made.
  std::shared_ptr<Functions> functions = std::make_shared<Functions>();
};

} // namespace

/// The function of a form. The module's first ones are those of its forms, in
/// the order in which products are converted.
emitc::FuncOp
MmaToEmitC::getFunction(WgmmaMmaOp op, ArrayRef<Type> arguments,
                        ConversionPatternRewriter &rewriter) const {
  WgmmaForm form = op.getForm();
  std::string wanted = nameForm(form);
  emitc::FuncOp &function = functions->byForm[wanted];
  if (function)
    return function;
  auto module = op->getParentOfType<gpu::GPUModuleOp>();
  std::string name = wanted;
  for (unsigned i = 1; SymbolTable::lookupSymbolIn(module, name); ++i)
    name = wanted + "_" + std::to_string(i);
  OpBuilder::InsertionGuard guard(rewriter);
  if (functions->last)
    rewriter.setInsertionPointAfter(functions->last);
  else
    rewriter.setInsertionPointToStart(module.getBody());
  // The function has no location, since other products share it.
  function = emitc::FuncOp::create(
      rewriter, rewriter.getUnknownLoc(), name,
      rewriter.getFunctionType(arguments, arguments.front()));
  // Not static: a text with some of the module's kernels may not need it.
  function.setSpecifiersAttr(rewriter.getStrArrayAttr({"CAROUSEL_DEVICE"}));
  function->setDiscardableAttr(
      TextAttrs::kParameters,
      rewriter.getStrArrayAttr({"sums", "a", "b", "scale"}));
  buildBody(function, form, rewriter);
  functions->last = function;
  return function;
}

void MmaToEmitC::buildBody(emitc::FuncOp function, const WgmmaForm &form,
                           ConversionPatternRewriter &rewriter) const {
  rewriter.setInsertionPointToStart(function.addEntryBlock());
  CBuilder builder(rewriter, function.getLoc(), types);
  Value d = builder.variable(function.getArgument(0).getType());
  d.getDefiningOp()->setDiscardableAttr(TextAttrs::kHint,
                                        rewriter.getStringAttr("d"));
  builder.assign(d, function.getArgument(0));
  SmallVector<Value> operands(form.getSumRegisters(), d);
  operands.append(form.aInRegisters ? kFactorRegisters : 1,
                  function.getArgument(1));
  operands.append({function.getArgument(2), function.getArgument(3)});
  emitc::VerbatimOp::create(rewriter, function.getLoc(),
                            rewriter.getStringAttr(spellStatement(form)),
                            operands);
  emitc::ReturnOp::create(rewriter, function.getLoc(), builder.load(d));
}

void carousel::populateWgmmaToEmitC(RewritePatternSet &patterns,
                                    const CTypes &types) {
  addPattern<WgmmaDescriptorOp>(patterns, types, lowerDescriptor);
  addPattern<WgmmaFenceOp>(patterns, types, lowerFence);
  addPattern<WgmmaCommitOp>(patterns, types, lowerCommit);
  addPattern<WgmmaWaitOp>(patterns, types, lowerWait);
  patterns.add<MmaToEmitC>(types, patterns.getContext());
}
