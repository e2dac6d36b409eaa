//===- LLVMPasses.cpp - LLVM IR between MLIR and PTX ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks and marks first, then the passes, then the text. The assembly of
// nontemporal loads, for which NVPTX has no form, counts as an access of
// memory, so that it keeps its place.
//
//===----------------------------------------------------------------------===//

#include "LLVMPasses.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Pass.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/NVPTXAddrSpace.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Scalar/Scalarizer.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

static std::string print(const Type &type) {
  std::string text;
  raw_string_ostream stream(text);
  type.print(stream);
  return text;
}

std::optional<carousel::BadCall> carousel::findBadCall(const Module &module) {
  for (const Function &caller : module)
    for (const Instruction &instruction : instructions(caller)) {
      auto *call = dyn_cast<CallBase>(&instruction);
      auto *callee = call ? dyn_cast<Function>(
                                call->getCalledOperand()->stripPointerCasts())
                          : nullptr;
      if (callee && callee->getFunctionType() != call->getFunctionType())
        return BadCall{caller.getName().str(), callee->getName().str(),
                       print(*callee->getFunctionType()),
                       print(*call->getFunctionType())};
    }
  return std::nullopt;
}

static bool asksForStack(const Instruction &instruction) {
  if (auto *extract = dyn_cast<ExtractElementInst>(&instruction))
    return !isa<ConstantInt>(extract->getIndexOperand());
  if (auto *insert = dyn_cast<InsertElementInst>(&instruction))
    return !isa<ConstantInt>(insert->getOperand(2));
  return isa<AllocaInst>(instruction);
}

StringSet<> carousel::findStackUsers(const Module &module) {
  StringSet<> users;
  for (const Function &function : module)
    if (any_of(instructions(function), asksForStack))
      users.insert(function.getName());
  auto callsUser = [&](const Instruction &instruction) {
    auto *call = dyn_cast<CallBase>(&instruction);
    const Function *callee = call ? call->getCalledFunction() : nullptr;
    return callee && users.contains(callee->getName());
  };
  for (size_t before = 0; before != users.size();) {
    before = users.size();
    for (const Function &function : module)
      if (any_of(instructions(function), callsUser))
        users.insert(function.getName());
  }
  return users;
}

static void freezeOperand(Use &use) {
  auto *user = cast<Instruction>(use.getUser());
  // A frozen address of a thread's own memory would keep it there.
  if (isa<AllocaInst>(use.get()) ||
      (isa<Constant>(use.get()) && !isa<UndefValue>(use.get())))
    return;
  use.set(new FreezeInst(use.get(), "", user->getIterator()));
}

static constexpr StringLiteral kSome = "carousel_some_";

/// A function of which LLVM knows nothing. A frozen condition that is poison
/// becomes a constant, as if the author had written it.
static FunctionCallee getSome(Module &module, Type *type) {
  std::string name;
  raw_string_ostream(name) << kSome << *type;
  AttrBuilder attributes(module.getContext());
  attributes.addMemoryAttr(MemoryEffects::none());
  for (Attribute::AttrKind kind :
       {Attribute::NoUnwind, Attribute::WillReturn, Attribute::NoCallback})
    attributes.addAttribute(kind);
  return module.getOrInsertFunction(
      name, FunctionType::get(type, {type}, /*isVarArg=*/false),
      AttributeList::get(module.getContext(), AttributeList::FunctionIndex,
                         attributes));
}

static void hideCondition(Use &use) {
  auto *user = cast<Instruction>(use.getUser());
  FunctionCallee some = getSome(*user->getModule(), use->getType());
  use.set(CallInst::Create(some, {use.get()}, "", user->getIterator()));
}

/// Finds the condition of a branch or a switch.
static Use *findCondition(Instruction &instruction) {
  auto *branch = dyn_cast<BranchInst>(&instruction);
  bool decides =
      (branch && branch->isConditional()) || isa<SwitchInst>(instruction);
  return decides ? &instruction.getOperandUse(0) : nullptr;
}

/// The operands that undefined behaviour would come of, or go to memory.
static SmallVector<Use *> getDefiningUses(Instruction &instruction) {
  if (isa<StoreInst, LoadInst, AtomicRMWInst, AtomicCmpXchgInst>(instruction)) {
    SmallVector<Use *> uses;
    for (Use &use : instruction.operands())
      uses.push_back(&use);
    return uses;
  } else if (instruction.isIntDivRem()) {
    return {&instruction.getOperandUse(1)};
  }
  return {};
}

static void define(Function &function) {
  if (function.getCallingConv() == CallingConv::PTX_Kernel)
    for (Argument &argument : function.args())
      argument.addAttr(Attribute::NoUndef);
  for (Instruction &instruction :
       make_early_inc_range(instructions(function))) {
    if (isa<AssumeInst>(instruction)) {
      instruction.eraseFromParent();
      continue;
    }
    // Then a store of what was read there is known to change nothing.
    if (auto *load = dyn_cast<LoadInst>(&instruction))
      if (load->getPointerAddressSpace() == NVPTXAS::ADDRESS_SPACE_GLOBAL)
        load->setMetadata(LLVMContext::MD_noundef,
                          MDNode::get(function.getContext(), {}));
    for (Use *use : getDefiningUses(instruction))
      freezeOperand(*use);
    if (Use *condition = findCondition(instruction))
      hideCondition(*condition);
  }
}

void carousel::defineWrites(Module &module) {
  SmallVector<Function *> functions;
  for (Function &function : module)
    functions.push_back(&function);
  for (Function *function : functions)
    define(*function);
}

void carousel::showConditions(Module &module) {
  for (Function &some : module) {
    if (!some.getName().starts_with(kSome))
      continue;
    for (User *user : make_early_inc_range(some.users())) {
      auto *call = cast<CallInst>(user);
      Value *condition = call->getArgOperand(0);
      if (isa<UndefValue>(condition))
        continue;
      if (!isa<Constant>(condition))
        condition = new FreezeInst(condition, "", call->getIterator());
      call->replaceAllUsesWith(condition);
      call->eraseFromParent();
    }
  }
}

static constexpr StringLiteral kNumber = "carousel.convergent";
static constexpr StringLiteral kForms[] = {".sync", ".aligned"};

static StringRef getAssembly(const Instruction &instruction) {
  auto *call = dyn_cast<CallInst>(&instruction);
  auto *assembly =
      call ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
  return assembly ? assembly->getAsmString() : StringRef();
}

static size_t countForms(StringRef text) {
  size_t count = 0;
  for (StringRef form : kForms)
    count += text.count(form);
  return count;
}

void carousel::markConvergentCalls(Module &module) {
  Type *type = Type::getInt32Ty(module.getContext());
  uint32_t number = 0;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function)) {
      auto *call = dyn_cast<CallInst>(&instruction);
      if (!call)
        continue;
      if (countForms(getAssembly(instruction)) != 0)
        call->setConvergent();
      // A function may be inlined in both branches.
      if (call->isConvergent() && function.use_empty())
        call->setMetadata(kNumber,
                          MDNode::get(module.getContext(),
                                      ConstantAsMetadata::get(
                                          ConstantInt::get(type, number++))));
    }
}

/// Whether a way goes from a block to a later one in one iteration of the loop
/// that has both.
static bool reaches(const BasicBlock *from, const BasicBlock *to,
                    const LoopInfo &loops) {
  const Loop *loop = loops.getLoopFor(from);
  while (loop && !loop->contains(to))
    loop = loop->getParentLoop();
  const BasicBlock *header = loop ? loop->getHeader() : nullptr;
  SmallVector<const BasicBlock *> open = {from};
  SmallPtrSet<const BasicBlock *, 32> seen = {from};
  while (!open.empty())
    for (const BasicBlock *next : successors(open.pop_back_val())) {
      if (next == header)
        continue;
      if (next == to)
        return true;
      if (seen.insert(next).second)
        open.push_back(next);
    }
  return false;
}

static std::optional<std::string> findDivergentCopies(Function &function) {
  // The blocks of each call's copies, in order.
  MapVector<MDNode *, SmallVector<const Instruction *>> copies;
  bool areSpread = false;
  for (BasicBlock *block : ReversePostOrderTraversal<Function *>(&function))
    for (Instruction &instruction : *block)
      if (MDNode *number = instruction.getMetadata(kNumber)) {
        SmallVector<const Instruction *> &known = copies[number];
        if (known.empty() || known.back()->getParent() != block)
          known.push_back(&instruction);
        areSpread |= known.size() > 1;
      }
  if (!areSpread)
    return std::nullopt;
  DominatorTree dominators(function);
  LoopInfo loops(dominators);
  for (auto &[number, known] : copies)
    for (size_t i = 1; i < known.size(); ++i)
      if (!reaches(known[i - 1]->getParent(), known[i]->getParent(), loops)) {
        std::string text = getAssembly(*known[i]).str();
        if (text.empty())
          raw_string_ostream(text) << *known[i];
        return text;
      }
  return std::nullopt;
}

std::optional<carousel::DivergentCopies>
carousel::findDivergentCopies(Module &module) {
  for (Function &function : module)
    if (!function.isDeclaration())
      if (auto instruction = ::findDivergentCopies(function))
        return DivergentCopies{function.getName().str(), *instruction};
  return std::nullopt;
}

size_t carousel::countAlignedForms(const Module &module) {
  size_t count = 0;
  for (const Function &function : module)
    for (const Instruction &instruction : instructions(function))
      count += countForms(getAssembly(instruction));
  return count;
}

size_t carousel::countAlignedForms(StringRef ptx) {
  size_t count = 0;
  while (true) {
    ptx = ptx.split("// begin inline asm").second;
    if (ptx.empty())
      return count;
    auto [assembly, rest] = ptx.split("// end inline asm");
    count += countForms(assembly);
    ptx = rest;
  }
}

static constexpr unsigned kGlobal = 1; // NVPTX's address space

/// The words of a load, and the bits of each; 0 words if no instruction has
/// them.
static std::pair<unsigned, unsigned> getWords(const LoadInst &load,
                                              const DataLayout &layout) {
  uint64_t bits = layout.getTypeSizeInBits(load.getType());
  if (!load.hasMetadata(LLVMContext::MD_nontemporal) ||
      load.getPointerAddressSpace() != kGlobal || !load.isSimple() ||
      load.getAlign().value() * 8 < bits)
    return {0, 0};
  if (bits == 16)
    return {1, 16};
  if (bits == 32 || bits == 64 || bits == 128)
    return {bits / 32, 32};
  return {0, 0};
}

static void lower(LoadInst &load, unsigned words, unsigned bits) {
  IRBuilder<> builder(&load);
  Type *word = builder.getIntNTy(bits);
  std::string outputs, constraints;
  for (unsigned i = 0; i < words; ++i) {
    outputs += (i ? ", $" : "$") + std::to_string(i);
    constraints += bits == 16 ? "=h," : "=r,";
  }
  std::string text = "ld.global.L1::no_allocate.";
  if (words > 1)
    text += "v" + std::to_string(words) + ".";
  text += "b" + std::to_string(bits) + " ";
  text += words > 1 ? "{" + outputs + "}" : outputs;
  text += ", [$" + std::to_string(words) + "];";
  Type *result =
      words > 1 ? cast<Type>(StructType::get(load.getContext(),
                                             SmallVector<Type *>(words, word)))
                : word;
  auto *type = FunctionType::get(result, {load.getPointerOperandType()}, false);
  Value *loaded =
      builder.CreateCall(InlineAsm::get(type, text, constraints + "l",
                                        /*hasSideEffects=*/true),
                         {load.getPointerOperand()});
  Value *whole = loaded;
  if (words > 1) {
    whole = PoisonValue::get(FixedVectorType::get(word, words));
    for (unsigned i = 0; i < words; ++i)
      whole = builder.CreateInsertElement(
          whole, builder.CreateExtractValue(loaded, i), i);
  }
  load.replaceAllUsesWith(builder.CreateBitCast(whole, load.getType()));
  load.eraseFromParent();
}

/// Whether a function's stores have a quarter of the bytes of what its loads
/// read once, or more, each instruction counted once. Measured on an H200, tanh
/// of 2^28 floats takes 530 us without the qualifier and 565 with it, and
/// rmsnorm of 32768 x 4096 136 and 143; cross-entropy of such rows, which
/// writes few bytes, takes 80 and 76.
static bool writesMuch(const Function &function, const DataLayout &layout) {
  uint64_t read = 0, written = 0;
  for (const Instruction &instruction : instructions(function)) {
    if (auto *load = dyn_cast<LoadInst>(&instruction)) {
      auto [words, bits] = getWords(*load, layout);
      read += uint64_t(words) * bits;
    }
    if (auto *store = dyn_cast<StoreInst>(&instruction);
        store && store->getPointerAddressSpace() == kGlobal)
      written += layout.getTypeSizeInBits(store->getValueOperand()->getType());
  }
  return 4 * written >= read;
}

void carousel::lowerStreamingLoads(Module &module) {
  const DataLayout &layout = module.getDataLayout();
  for (Function &function : module) {
    bool isPlain = writesMuch(function, layout);
    for (Instruction &instruction :
         make_early_inc_range(instructions(function))) {
      auto *load = dyn_cast<LoadInst>(&instruction);
      if (!load)
        continue;
      auto [words, bits] = getWords(*load, layout);
      if (words == 0)
        continue;
      if (isPlain)
        load->setMetadata(LLVMContext::MD_nontemporal, nullptr);
      else
        lower(*load, words, bits);
    }
  }
}

namespace {

/// Passes whose work ptxas repeats, with knowledge of the machine. They cost
/// most if many addresses have 64-bit indices. Kernels didn't run slower
/// without them.
bool isLeftToPTXAS(StringRef pass) {
  static constexpr StringLiteral kBackEndPasses[] = {
      "Loop Strength Reduction", "Straight line strength reduction",
      "Nary reassociation"};
  static constexpr StringLiteral kOptimisations[] = {"IndVarSimplifyPass"};
  return is_contained(kBackEndPasses, pass) ||
         is_contained(kOptimisations, pass);
}

/// Passes that look for code that lowered kernels don't have, such as
/// vectorisers and library calls, or that find what other passes find, too.
/// Without them ptxas makes the same code of the examples
/// (benchmarks/archive).
bool findsNothing(StringRef pass) {
  static constexpr StringLiteral kPasses[] = {
      "CallSiteSplittingPass",   "ConstraintEliminationPass",
      "Float2IntPass",           "LibCallsShrinkWrapPass",
      "LoopDistributePass",      "LoopIdiomRecognizePass",
      "LoopLoadEliminationPass", "LoopSinkPass",
      "LoopVectorizePass",       "MergedLoadStoreMotionPass",
      "OpenMPOptCGSCCPass",      "OpenMPOptPass",
      "VectorCombinePass"};
  return is_contained(kPasses, pass);
}

/// Preserves what holds for a pass that changes instructions, but no blocks.
PreservedAnalyses preserveBlocks(bool isChanged) {
  if (!isChanged)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

/// Marks loops that are too large to unroll. LLVM would find that out by
/// computing the cost of each loop. For loops with few iterations it would also
/// simulate all of them, to find values that become constants. Values that are
/// computed from tiles don't. ptxas may still unroll the loops.
class KeepLargeLoops : public PassInfoMixin<KeepLargeLoops> {
public:
  static constexpr StringLiteral kName = "keep-large-loops";

  PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses) {
    auto &loops = analyses.getResult<LoopAnalysis>(function);
    if (loops.empty())
      return PreservedAnalyses::all();
    auto &numbers = analyses.getResult<ScalarEvolutionAnalysis>(function);
    for (Loop *loop : loops.getLoopsInPreorder()) {
      uint64_t size = loop->getLoopID() ? 0 : countInstructions(*loop);
      if (size > kPartSize &&
          size * numbers.getSmallConstantTripCount(loop) > kWholeSize)
        addStringMetadataToLoop(loop, "llvm.loop.disable_nonforced", 1);
    }
    return PreservedAnalyses::all();
  }

private:
  /// LLVM's thresholds at level 3 for full and partial unrolling.
  static constexpr uint64_t kWholeSize = 300, kPartSize = 75;

  /// Counts instructions by element, except for addresses, and for conversions
  /// between views of a register.
  static uint64_t countInstructions(const Loop &loop) {
    uint64_t count = 0;
    for (const BasicBlock *block : loop.blocks())
      for (const Instruction &instruction : *block) {
        if (isa<PHINode, GetElementPtrInst, CastInst, ExtractElementInst,
                InsertElementInst, ShuffleVectorInst>(instruction))
          continue;
        auto *vector = dyn_cast<FixedVectorType>(instruction.getType());
        bool isMemory = instruction.mayReadOrWriteMemory();
        count += vector && !isMemory ? vector->getNumElements() : 1;
      }
    return count;
  }
};

/// Computes `y - (x + c)` as `(y - x) - c`, and `(x + c) - y` as `(x - y) + c`,
/// if only `y` changes in the loop. Sums of the columns that a thread has, with
/// a number for each, would otherwise leave the loop, and need a register each;
/// the constant is part of an instruction.
class KeepConstants : public PassInfoMixin<KeepConstants> {
public:
  static constexpr StringLiteral kName = "keep-constants";

  PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses) {
    auto &loops = analyses.getResult<LoopAnalysis>(function);
    bool isChanged = false;
    for (Instruction &instruction :
         make_early_inc_range(instructions(function)))
      if (Loop *loop = loops.getLoopFor(instruction.getParent()))
        isChanged |= rewrite(instruction, *loop);
    return preserveBlocks(isChanged);
  }

private:
  static bool rewrite(Instruction &instruction, const Loop &loop) {
    using namespace PatternMatch;
    Value *left, *right, *x;
    const APInt *c;
    if (!match(&instruction, m_Sub(m_Value(left), m_Value(right))))
      return false;
    auto isSum = [&](Value *sum, Value *y) {
      return match(sum, m_AddLike(m_Value(x), m_APInt(c))) &&
             loop.isLoopInvariant(sum) && !loop.isLoopInvariant(y);
    };
    IRBuilder<> builder(&instruction);
    Value *result;
    if (isSum(right, left))
      result = builder.CreateAdd(builder.CreateSub(left, x),
                                 ConstantInt::get(x->getType(), -*c));
    else if (isSum(left, right))
      result = builder.CreateAdd(builder.CreateSub(x, right),
                                 ConstantInt::get(x->getType(), *c));
    else
      return false;
    instruction.replaceAllUsesWith(result);
    instruction.eraseFromParent();
    return true;
  }
};

/// Computes the descriptors of products where these are, if they are the same
/// in all iterations of a loop and differ by a constant. Queries of 256
/// elements have 16 of them: outside of the loop each would need a register,
/// beside sums that leave none. An empty instruction hides from later passes
/// that the number which they begin with doesn't change.
class KeepDescriptors : public PassInfoMixin<KeepDescriptors> {
public:
  static constexpr StringLiteral kName = "keep-descriptors";

  PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses) {
    auto &loops = analyses.getResult<LoopAnalysis>(function);
    MapVector<std::pair<Loop *, Terms>, SmallVector<Use *>> uses;
    for (Instruction &instruction : instructions(function)) {
      auto *call = dyn_cast<CallInst>(&instruction);
      Loop *loop = loops.getLoopFor(instruction.getParent());
      if (!call || !call->isInlineAsm() || !loop)
        continue;
      for (Use &use : call->args())
        if (std::optional<Descriptor> found = Descriptor::of(use.get());
            found && loop->isLoopInvariant(use.get()))
          uses[{loop, found->terms}].push_back(&use);
    }
    bool isChanged = false;
    for (auto &[place, own] : uses)
      if (own.size() > kFew) {
        rewrite(*place.first, place.second, own);
        isChanged = true;
      }
    return preserveBlocks(isChanged);
  }

private:
  /// The most that there are registers for.
  static constexpr size_t kFew = 8;

  /// The numbers that a descriptor's lower half is the sum of; one may be null.
  using Terms = std::pair<Value *, Value *>;

  /// 64 bits: in the lower half, a sum with a constant.
  struct Descriptor {
    Terms terms;
    APInt low, all;

    static std::optional<Descriptor> of(Value *value) {
      using namespace PatternMatch;
      Value *word, *x, *y;
      const APInt *all;
      if (!value->getType()->isIntegerTy(64) ||
          !match(value, m_Or(m_ZExt(m_Value(word)), m_APInt(all))) ||
          !word->getType()->isIntegerTy(32))
        return std::nullopt;
      Descriptor found{{}, APInt::getZero(32), *all};
      word = found.takeConstants(word);
      found.terms.first = word;
      if (match(word, m_Add(m_Value(x), m_Value(y))))
        found.terms = {found.takeConstants(x), found.takeConstants(y)};
      return found;
    }

  private:
    Value *takeConstants(Value *sum) {
      using namespace PatternMatch;
      Value *x;
      const APInt *c;
      while (match(sum, m_AddLike(m_Value(x), m_APInt(c)))) {
        low += *c;
        sum = x;
      }
      return sum;
    }
  };

  static void rewrite(Loop &loop, Terms terms, ArrayRef<Use *> uses) {
    BasicBlock *header = loop.getHeader();
    IRBuilder<> builder(header, header->getFirstInsertionPt());
    auto [base, other] = terms;
    if (other)
      base = builder.CreateAdd(base, other);
    auto *type = FunctionType::get(base->getType(), base->getType(),
                                   /*isVarArg=*/false);
    Value *hidden = builder.CreateCall(
        InlineAsm::get(type, "", "=r,0", /*hasSideEffects=*/true), base);
    for (Use *use : uses) {
      Descriptor own = *Descriptor::of(use->get());
      builder.SetInsertPoint(cast<Instruction>(use->getUser()));
      Value *word = builder.CreateAdd(
          hidden, ConstantInt::get(hidden->getType(), own.low));
      Value *wide = builder.CreateZExt(word, use->get()->getType());
      use->set(
          builder.CreateOr(wide, ConstantInt::get(wide->getType(), own.all)));
    }
  }
};

/// Rounds pairs of f32 to 16 bits by one instruction. Instruction selection
/// would round each of them by one of its own, at a quarter of the rate, where
/// elements of a pair are used alone, as those that are extended again.
class PackConversions : public PassInfoMixin<PackConversions> {
public:
  static constexpr StringLiteral kName = "pack-conversions";

  PreservedAnalyses run(Function &function, FunctionAnalysisManager &) {
    bool isChanged = false;
    for (Instruction &instruction :
         make_early_inc_range(instructions(function)))
      if (auto *rounding = dyn_cast<FPTruncInst>(&instruction))
        isChanged |= rewrite(*rounding);
    return preserveBlocks(isChanged);
  }

private:
  static bool rewrite(FPTruncInst &rounding) {
    auto *type = dyn_cast<FixedVectorType>(rounding.getType());
    if (!type || type->getNumElements() % 2 != 0 ||
        !rounding.getSrcTy()->getScalarType()->isFloatTy() ||
        (rounding.hasOneUse() && !isa<FPExtInst>(*rounding.user_begin())))
      return false;
    Type *element = type->getElementType();
    if (!element->isBFloatTy() && !element->isHalfTy())
      return false;
    IRBuilder<> builder(&rounding);
    Value *result = PoisonValue::get(type);
    for (unsigned i = 0; i < type->getNumElements(); i += 2) {
      auto take = [&](unsigned at) {
        return builder.CreateExtractElement(rounding.getOperand(0), at);
      };
      // The first operand becomes the upper half.
      Value *pair = builder.CreateIntrinsic(element->isBFloatTy()
                                                ? Intrinsic::nvvm_ff2bf16x2_rn
                                                : Intrinsic::nvvm_ff2f16x2_rn,
                                            {}, {take(i + 1), take(i)});
      for (unsigned at : {0, 1})
        result = builder.CreateInsertElement(
            result, builder.CreateExtractElement(pair, at), i + at);
    }
    rounding.replaceAllUsesWith(result);
    rounding.eraseFromParent();
    return true;
  }
};

/// Adds the constants of an index, such as those of its row and of its column,
/// to one, which becomes part of an instruction. LLVM takes one of them out of
/// an address: rows and columns that a thread has would need an address for
/// each column.
class JoinOffsets : public PassInfoMixin<JoinOffsets> {
public:
  static constexpr StringLiteral kName = "join-offsets";

  PreservedAnalyses run(Function &function, FunctionAnalysisManager &) {
    bool isChanged = false;
    for (Instruction &instruction : instructions(function))
      if (auto *address = dyn_cast<GetElementPtrInst>(&instruction);
          address && address->getNumIndices() == 1)
        isChanged |= rewrite(*address);
    return preserveBlocks(isChanged);
  }

private:
  static constexpr size_t kMostTerms = 4;

  static bool rewrite(GetElementPtrInst &address) {
    using namespace PatternMatch;
    Value *index = address.getOperand(1), *x, *y;
    const APInt *c;
    if (!index->getType()->isIntegerTy())
      return false;
    APInt offset(index->getType()->getIntegerBitWidth(), 0);
    unsigned constants = 0;
    SmallVector<Value *> open = {index}, terms;
    while (!open.empty() && terms.size() <= kMostTerms) {
      Value *value = open.pop_back_val();
      if (match(value, m_AddLike(m_Value(x), m_APInt(c)))) {
        offset += *c;
        ++constants;
        open.push_back(x);
      } else if (match(value, m_Add(m_Value(x), m_Value(y)))) {
        open.append({y, x});
      } else {
        terms.push_back(value);
      }
    }
    if (constants < 2 || terms.size() > kMostTerms)
      return false;
    IRBuilder<> builder(&address);
    Value *sum = terms.front();
    for (Value *term : drop_begin(terms))
      sum = builder.CreateAdd(sum, term);
    address.setOperand(
        1, builder.CreateAdd(sum, ConstantInt::get(sum->getType(), offset)));
    return true;
  }
};

/// Splits wide vectors into scalars, except where they are loaded and stored. A
/// thread has no registers for them, and instruction selection would take at
/// least quadratic time: for 1024 elements five minutes instead of seven
/// seconds. Pairs of 16-bit floats stay together: they have instructions.
class SplitWideVectors : public PassInfoMixin<SplitWideVectors> {
public:
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses) {
    if (none_of(instructions(function), isWide))
      return PreservedAnalyses::all();
    ScalarizerPassOptions options;
    if (any_of(instructions(function), isWidePairs))
      options.ScalarizeMinBits = kPairBits;
    return ScalarizerPass(options).run(function, analyses);
  }

private:
  /// The back end handles narrower vectors, and has accesses and arithmetic for
  /// some of them.
  static constexpr unsigned kWideElements = 32, kPairBits = 32;

  static bool isWidePairs(const Instruction &instruction) {
    Type *element = instruction.getType()->getScalarType();
    return isWide(instruction) && isa<BinaryOperator>(instruction) &&
           (element->isHalfTy() || element->isBFloatTy());
  }

  static bool isWide(const Instruction &instruction) {
    auto *vector = dyn_cast<FixedVectorType>(instruction.getType());
    return vector && vector->getNumElements() > kWideElements;
  }
};

/// Level 2, in the syntax of `opt -passes`. Passes were left out if they change
/// no kernel's code, or only by a few percent (docs/Rationale.md).
constexpr StringLiteral kKernelPipeline =
    // Calls of helpers, and of libdevice, which queries the required precision
    // by name.
    "nvvm-reflect,"
    "function(nvvm-intr-range,simplifycfg,sroa),"
    "cgscc(inline),"
    // The ranges of thread and block ids, and of all values computed from them.
    // Without them indices stay signed and 64 bits wide.
    "ipsccp,globaldce,"
    "function("
    "instcombine<no-verify-fixpoint>,"
    // Hoists invariants out of loops that test at the end.
    "loop-mssa(loop-rotate,licm),keep-constants,"
    "instcombine<no-verify-fixpoint>,join-offsets,gvn,infer-alignment,"
    "simplifycfg<hoist-common-insts;sink-common-insts>,"
    // Full unrolling, or partial unrolling if trip counts are known while the
    // kernel runs. ptxas would otherwise do it. The back end starts with
    // another sroa.
    "keep-large-loops,loop-unroll<O3>,instcombine<no-verify-fixpoint>,"
    "div-rem-pairs,simplifycfg,keep-descriptors,pack-conversions),"
    "globaldce";

/// Passes of the back end that change nothing after that pipeline
/// (subexpressions, invariants, expensive constants), that prepare for an
/// omitted pass (freezes), or that bring no gain before ptxas (order, addresses
/// computed again in each block).
bool isNotForKernels(StringRef pass) {
  static constexpr StringLiteral kPasses[] = {
      "Canonicalize Freeze Instructions in Loops",
      "CodeGen Prepare",
      "Constant Hoisting",
      "Early CSE",
      "Early Machine Loop Invariant Code Motion",
      "Machine Instruction Scheduler",
      "Merge contiguous icmps into a memcmp",
      "Partially inline calls to library functions"};
  return is_contained(kPasses, pass);
}

/// The passes of the back end, which has no option to omit one.
class BackEndPasses : public legacy::PassManager {
public:
  explicit BackEndPasses(unsigned level) : level(level) {}

  void add(Pass *pass) override {
    StringRef name = pass->getPassName();
    if (isLeftToPTXAS(name) || (level == 2 && isNotForKernels(name)))
      delete pass;
    else
      PassManager::add(pass);
  }

private:
  unsigned level;
};

} // namespace

Error carousel::optimizeKernels(Module &module, TargetMachine &machine,
                                unsigned level,
                                const std::function<bool()> &isCancelled) {
  // Nobody reads the names that passes invent.
  module.getContext().setDiscardValueNames(true);
  PipelineTuningOptions tuning;
  // A thread has no vector units.
  tuning.LoopVectorization = false;
  tuning.LoopInterleaving = false;
  tuning.SLPVectorization = false;
  PassInstrumentationCallbacks callbacks;
  callbacks.registerShouldRunOptionalPassCallback([&](StringRef pass, Any) {
    return !isLeftToPTXAS(pass) && !findsNothing(pass) &&
           !(isCancelled && isCancelled());
  });
  PassBuilder builder(&machine, tuning, std::nullopt, &callbacks);
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager calls;
  ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(calls);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, calls, modules);
  ModulePassManager passes;
  if (level == 2) {
    builder.registerPipelineParsingCallback(
        [](StringRef name, FunctionPassManager &manager,
           ArrayRef<PassBuilder::PipelineElement>) {
          if (name == KeepLargeLoops::kName)
            manager.addPass(KeepLargeLoops());
          else if (name == KeepConstants::kName)
            manager.addPass(KeepConstants());
          else if (name == PackConversions::kName)
            manager.addPass(PackConversions());
          else if (name == JoinOffsets::kName)
            manager.addPass(JoinOffsets());
          else if (name == KeepDescriptors::kName)
            manager.addPass(KeepDescriptors());
          else
            return false;
          return true;
        });
    if (Error error = builder.parsePassPipeline(passes, kKernelPipeline))
      return error;
  } else {
    static const OptimizationLevel kLevels[] = {
        OptimizationLevel::O0, OptimizationLevel::O1, OptimizationLevel::O2,
        OptimizationLevel::O3};
    passes = builder.buildPerModuleDefaultPipeline(kLevels[level]);
  }
  createModuleToFunctionPassAdaptor(SplitWideVectors()).run(module, modules);
  passes.run(module, modules);
  return Error::success();
}

Expected<SmallVector<char, 0>>
carousel::generatePTX(Module &module, TargetMachine &machine, unsigned level) {
  SmallVector<char, 0> text;
  raw_svector_ostream stream(text);
  BackEndPasses passes(level);
  if (machine.addPassesToEmitFile(passes, stream, nullptr,
                                  CodeGenFileType::AssemblyFile))
    return createStringError(
        "expected LLVM's NVPTX target to print PTX, got no printer");
  passes.run(module);
  return text;
}
