//===- CarouselLaunchAttrs.td - how a kernel is launched ---*- tablegen -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a kernel says of its launch: grid, block, cluster, variants, guards, arguments, and the
// encoding of tensor maps. docs/Package.md is the page on them.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_CAROUSELLAUNCHATTRS_TD
#define CAROUSEL_DIALECT_IR_CAROUSELLAUNCHATTRS_TD

include "carousel/Dialect/IR/CarouselEnums.td"

def Carousel_ExprKind : Carousel_Enum<"ExprKind", "node of a launch expression", [
  I32EnumCase<"Constant", 0, "constant">, I32EnumCase<"Extent", 1, "extent">,
  I32EnumCase<"Stride", 2, "stride">, I32EnumCase<"Scalar", 3, "scalar">,
  I32EnumCase<"SMs", 4, "sms">, I32EnumCase<"Add", 5, "add">, I32EnumCase<"Sub", 6, "sub">,
  I32EnumCase<"Mul", 7, "mul">, I32EnumCase<"FloorDiv", 8, "floordiv">,
  I32EnumCase<"CeilDiv", 9, "ceildiv">, I32EnumCase<"Mod", 10, "mod">,
  I32EnumCase<"Min", 11, "min">, I32EnumCase<"Max", 12, "max">]>;

def Carousel_GuardKind : Carousel_Enum<"GuardKind", "condition on the arguments of a launch", [
  I32EnumCase<"Capability", 0, "capability">, I32EnumCase<"Aligned", 1, "aligned">,
  I32EnumCase<"Divisible", 2, "divisible">, I32EnumCase<"Range", 3, "range">,
  I32EnumCase<"Equal", 4, "equal">]>;

def Carousel_ArgumentAccess : Carousel_Enum<"ArgumentAccess",
    "what a kernel does with an argument", [
  I32EnumCase<"In", 0, "in">, I32EnumCase<"Out", 1, "out">, I32EnumCase<"InOut", 2, "inout">]>;

class Carousel_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Carousel_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def Carousel_ExprAttr : Carousel_Attr<"Expr", "expr"> {
  let summary = "an integer that a launch computes from its arguments";
  let description = [{
    A tree over the extents, strides and values of a kernel's arguments and the number of
    multiprocessors, in 64-bit integers.

    ```
    expr ::= int | `sms` | `extent` `(` arg `,` dim `)` | `stride` `(` arg `,` dim `)`
           | `scalar` `(` arg `)` | expr (`+` | `-` | `*`) expr | `(` expr `)`
           | (`floordiv` | `ceildiv` | `mod` | `min` | `max`) `(` expr `,` expr `)`
    ```

    `arg` counts the kernel's arguments that aren't tensor maps, and workspaces after all others.
    `*` binds tighter than `+` and `-`; all three group to the left.

    Example:

    ```mlir
    #carousel.expr<min(ceildiv(extent(0, 0), 4096), sms * 3)>
    ```
  }];
  let parameters = (ins
    "::carousel::ExprKind":$kind,
    // Constant: the value; Extent, Stride: the dimension; otherwise 0.
    DefaultValuedParameter<"int64_t", "0">:$value,
    // Extent, Stride, Scalar: which argument; otherwise 0.
    DefaultValuedParameter<"int64_t", "0">:$argument,
    // Both null, or both set for the kinds from Add on.
    OptionalParameter<"::carousel::ExprAttr">:$lhs,
    OptionalParameter<"::carousel::ExprAttr">:$rhs);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Carousel_GuardAttr : Carousel_Attr<"Guard", "guard"> {
  let summary = "a condition under which a variant may be launched";
  let description = [{
    ```
    guard ::= `capability` `(` int (`,` int)? `)` | `aligned` `(` arg `,` int `)`
            | `divisible` `(` expr `,` int `)` | `range` `(` expr `,` int `,` int `)`
            | `equal` `(` expr `,` expr `)`
    ```

    Example:

    ```mlir
    #carousel.guard<aligned(0, 16)>
    ```
  }];
  let parameters = (ins
    "::carousel::GuardKind":$kind,
    // Aligned: which argument; otherwise 0.
    DefaultValuedParameter<"int64_t", "0">:$argument,
    // Divisible, Range, Equal: the value; Equal: the other one.
    OptionalParameter<"::carousel::ExprAttr">:$value,
    OptionalParameter<"::carousel::ExprAttr">:$other,
    // Capability, Range: the least; Aligned: bytes; Divisible: the divisor; Equal: 0.
    DefaultValuedParameter<"int64_t", "0">:$least,
    // Capability, Range: the most (INT64_MAX: any); otherwise 0.
    DefaultValuedParameter<"int64_t", "0">:$most);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Carousel_LaunchAttr : Carousel_Attr<"Launch", "launch"> {
  let summary = "grid, block, cluster and dynamic shared memory of a kernel";
  let parameters = (ins
    ArrayRefParameter<"::carousel::ExprAttr", "one to three, x first">:$grid,
    ArrayRefParameter<"int64_t", "one to three, x first">:$block,
    OptionalArrayRefParameter<"int64_t", "none, or one to three, x first">:$cluster,
    DefaultValuedParameter<"int64_t", "0">:$shared);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Carousel_VariantAttr : Carousel_Attr<"Variant", "variant"> {
  let summary = "the kernel that a function is a variant of, and its guards";
  let parameters = (ins
    StringRefParameter<"name that callers use">:$kernel,
    OptionalArrayRefParameter<"::carousel::GuardAttr", "in the order of checking">:$guards);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Carousel_ArgumentAttr : Carousel_Attr<"Argument", "argument"> {
  let summary = "name and access of a kernel's argument";
  let parameters = (ins
    StringRefParameter<"name, unique in its kernel">:$name,
    DefaultValuedParameter<"::carousel::ArgumentAccess",
        "::carousel::ArgumentAccess::InOut">:$access);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Carousel_EncodeAttr : Carousel_Attr<"Encode", "encode"> {
  let summary = "what a tensor map argument is encoded from";
  let parameters = (ins
    "int64_t":$argument,
    // Empty: the argument's own.
    OptionalArrayRefParameter<"::carousel::ExprAttr",
        "elements of the map, outermost first">:$extents,
    OptionalArrayRefParameter<"::carousel::ExprAttr",
        "bytes, outermost first, all but the innermost">:$strides,
    // Null: 0.
    OptionalParameter<"::carousel::ExprAttr", "bytes">:$offset);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Carousel_WorkspaceAttr : Carousel_Attr<"Workspace", "workspace"> {
  let summary = "the dynamic extents of memory that the runtime allocates for a kernel";
  let description = [{
    Marks a memref argument that callers don't pass. The runtime allocates it for each stream,
    zeroes it once, and reuses it for later launches. The expressions, one for each dynamic extent,
    are over the arguments that callers pass.

    Example:

    ```mlir
    %semaphores: memref<?xi32, #gpu.address_space<global>>
        {carousel.workspace = #carousel.workspace<[ceildiv(extent(0, 0), 128)]>}
    ```
  }];
  let parameters = (ins
    OptionalArrayRefParameter<"::carousel::ExprAttr", "elements, outermost first">:$extents);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

#endif // CAROUSEL_DIALECT_IR_CAROUSELLAUNCHATTRS_TD
