//===- VectorOps.td - vector ops of an embedder ------------*- tablegen -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dialect of an embedder, whose ops are part of block programs: docs/BlockPhase.md, Ops of other
// dialects.
//
//===----------------------------------------------------------------------===//

include "carousel/Dialect/IR/DistributionOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Sample_Dialect : Dialect {
  let name = "sample";
  let cppNamespace = "::sample";
  // The dialect of the ops that createElements creates.
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

// At the graph phase ops are on tensors.
def Sample_Floats
    : AnyTypeOf<[AnyFloat, VectorOfAnyRankOf<[AnyFloat]>, RankedTensorOf<[AnyFloat]>]>;
def Sample_Rows
    : AnyTypeOf<[VectorOfRankAndType<[2], [AnyFloat]>, TensorRankOf<[AnyFloat], [2]>]>;
def Sample_Factors
    : AnyTypeOf<[VectorOfRankAndType<[1], [AnyFloat]>, TensorRankOf<[AnyFloat], [1]>]>;

class Sample_Op<string mnemonic, list<Trait> traits> : Op<Sample_Dialect, mnemonic, traits>;

def Sample_LeakyOp : Sample_Op<"leaky", !listconcat([
    Pure, SameOperandsAndResultType,
    DeclareOpInterfaceMethods<Carousel_DistributionOpInterface>], ElementwiseMappable.traits)> {
  let summary = "Multiply negative elements by a slope";
  let arguments = (ins Sample_Floats:$input, F32Attr:$slope);
  let results = (outs Sample_Floats:$result);
  let assemblyFormat = "$input `,` $slope attr-dict `:` type($result)";
}

def Sample_PairSumsOp : Sample_Op<"pair_sums", [
    Pure,
    DeclareOpInterfaceMethods<Carousel_DistributionOpInterface, ["getElementSources"]>]> {
  let summary = "Add elements 2 i and 2 i + 1 of the last dimension";
  let arguments = (ins Sample_Floats:$input);
  let results = (outs Sample_Floats:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
}

def Sample_ScaleRowsOp : Sample_Op<"scale_rows", [
    Pure,
    DeclareOpInterfaceMethods<Carousel_DistributionOpInterface, ["getElementSources"]>]> {
  let summary = "Multiply the rows of a matrix by a factor each, and all by another";
  let arguments = (ins Sample_Rows:$input,
                       Sample_Factors:$factors, AnyFloat:$common);
  let results = (outs Sample_Rows:$result);
  let assemblyFormat = "$input `,` $factors `,` $common attr-dict `:` type($input) `,`"
                       "type($factors) `,` type($common) `to` type($result)";
}

def Sample_ReverseOp : Sample_Op<"reverse", [
    Pure, SameOperandsAndResultType,
    DeclareOpInterfaceMethods<Carousel_DistributionOpInterface, ["getElementSources"]>]> {
  let summary = "Reverse the order of the elements of the last dimension";
  let arguments = (ins Sample_Floats:$input);
  let results = (outs Sample_Floats:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
}

def Sample_SumOp : Sample_Op<"sum", [
    Pure,
    DeclareOpInterfaceMethods<Carousel_DistributionOpInterface, ["getElementSources"]>]> {
  let summary = "Add the elements that maps of the coordinates name";
  let arguments = (ins Sample_Floats:$input, AffineMapArrayAttr:$maps);
  let results = (outs Sample_Floats:$result);
  let assemblyFormat = "$input $maps attr-dict `:` type($input) `to` type($result)";
}

def Sample_LessOp : Sample_Op<"less", !listconcat([
    Pure, SameOperandsAndResultType,
    DeclareOpInterfaceMethods<Carousel_DistributionOpInterface>], ElementwiseMappable.traits)> {
  let summary = "An elementwise op whose code has no results";
  let arguments = (ins Sample_Floats:$input);
  let results = (outs Sample_Floats:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
}

def Sample_PlainOp : Sample_Op<"plain", !listconcat([
    Pure, SameOperandsAndResultType], ElementwiseMappable.traits)> {
  let summary = "An elementwise op that doesn't say how threads compute it";
  let arguments = (ins Sample_Floats:$input);
  let results = (outs Sample_Floats:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
}
