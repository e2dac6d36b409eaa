//===- DistributionOpInterface.td - vector ops of others ---*- tablegen -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interface of ops that other dialects add to the block phase. It stands apart from the
// interfaces of the dialect's own ops, none of which has it.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_DISTRIBUTIONOPINTERFACE_TD
#define CAROUSEL_DIALECT_IR_DISTRIBUTIONOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def Carousel_DistributionOpInterface : OpInterface<"DistributionOpInterface"> {
  let cppNamespace = "::carousel";
  let description = [{
    An op on vectors of another dialect, in a block program. It computes each element of its results
    from elements of its operands, its *sources*. Two facts describe it: which sources an element
    has, and the code that computes elements from them. All else follows: the layouts of operands
    from those of results and back, the code of a thread, what the simulated machine computes, and
    which passes may give the op's vectors other extents.

    An elementwise op has the traits of `ElementwiseMappable` and implements `createElements` only.
    It is streamed, batched, masked and shared by clusters as upstream's elementwise ops are. An op
    with other sources implements `getElementSources`, too. Its vectors keep the extents of
    dimensions that its maps change.

    The op has results of one shape, no regions and no effects. It must be valid with vectors of
    other extents, since passes create it again, with its attributes. docs/BlockPhase.md has an
    example.
  }];
  let methods = [
    InterfaceMethod<[{
        Returns the sources of the element of each result at the coordinates (d0, d1, ...): an
        operand, and a map to the coordinates of an element of it. The map of an operand that isn't
        a vector has no results. Each operand has a source. The maps of one operand differ in
        constants only, and each is linear over the bits of coordinates: sums of dimensions times
        powers of two that have no bit in common, `floordiv` and `mod` by powers of two, constants,
        and differences from constants that have all bits of what is taken. By default, an op has
        the sources of an elementwise one.
      }],
      "::llvm::SmallVector<::carousel::ElementSource>", "getElementSources", (ins), "",
      [{ return ::carousel::getElementwiseSources($_op); }]>,
    InterfaceMethod<[{
        Creates the code that computes elements of the results, and returns them. `sources` has a
        value for each source, and `types` a type for each result. Sources and results are numbers,
        for one element, or vectors of one dimension and the same extent, for several elements. The
        code consists of ops without effects that all targets have: arith, math and vector ops.
      }],
      "::llvm::SmallVector<::mlir::Value>", "createElements",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc, "::mlir::ValueRange":$sources,
           "::mlir::TypeRange":$types)>,
    InterfaceMethod<[{
        Returns about how many instructions an element costs. By them, `--carousel-vary-tiles`
        compares the tiles of products whose factors the op computes.
      }],
      "double", "countInstructions", (ins), "", [{ return 1; }]>
  ];
  let verify = [{ return ::carousel::verifyDistribution($_op); }];
}

#endif // CAROUSEL_DIALECT_IR_DISTRIBUTIONOPINTERFACE_TD
