//===- CarouselLaunchAttrs.td - how a kernel is launched ---*- tablegen -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attributes that describe a kernel's launch: grid, block, cluster, variants, guards, arguments,
// and the encoding of tensor maps. docs/Package.md explains them.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_CAROUSELLAUNCHATTRS_TD
#define CAROUSEL_DIALECT_IR_CAROUSELLAUNCHATTRS_TD

include "carousel/Dialect/IR/Attrs/CarouselEnums.td"

def Carousel_ExprKind : Carousel_Enum<"ExprKind", "node of a launch expression", [
  I32EnumCase<"Constant", 0, "constant">, I32EnumCase<"Extent", 1, "extent">,
  I32EnumCase<"Stride", 2, "stride">, I32EnumCase<"Scalar", 3, "scalar">,
  I32EnumCase<"SMs", 4, "sms">, I32EnumCase<"Resident", 5, "resident">,
  I32EnumCase<"Add", 6, "add">, I32EnumCase<"Sub", 7, "sub">, I32EnumCase<"Mul", 8, "mul">,
  I32EnumCase<"FloorDiv", 9, "floordiv">, I32EnumCase<"CeilDiv", 10, "ceildiv">,
  I32EnumCase<"Mod", 11, "mod">, I32EnumCase<"Min", 12, "min">, I32EnumCase<"Max", 13, "max">]>;

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
    An expression over the extents, strides and values of a kernel's arguments, the number of
    multiprocessors (`sms`), and the number of CTAs that the device holds at once (`resident`), in
    64-bit integers.

    ```
    expr ::= int | `sms` | `resident` | `extent` `(` arg `,` dim `)` | `stride` `(` arg `,` dim `)`
           | `scalar` `(` arg `)` | expr (`+` | `-` | `*`) expr | `(` expr `)`
           | (`floordiv` | `ceildiv` | `mod` | `min` | `max`) `(` expr `,` expr `)`
    ```

    `arg` is the number of an argument. Tensor maps have no number, and workspaces come after all
    other arguments. `*` binds tighter than `+` and `-`, and all three associate to the left.

    `resident` depends on the variant that is launched, with its registers, its block, its cluster
    and its shared memory. Only a grid may name it.

    Constraints: an expression has at most 256 nodes, nested at most 64 deep (C108). Its arguments
    and dimensions are those of the kernel (C117).

    Example:

    ```mlir
    #carousel.expr<min(ceildiv(extent(0, 0), 4096), resident)>
    ```
  }];
  let parameters = (ins
    "::carousel::ExprKind":$kind,
    // The value of a Constant, the dimension of an Extent or Stride; otherwise 0.
    DefaultValuedParameter<"int64_t", "0">:$value,
    // The argument of an Extent, Stride or Scalar; otherwise 0.
    DefaultValuedParameter<"int64_t", "0">:$argument,
    // The operands of the kinds from Add on; otherwise both null.
    OptionalParameter<"::carousel::ExprAttr">:$lhs,
    OptionalParameter<"::carousel::ExprAttr">:$rhs);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Carousel_GuardAttr : Carousel_Attr<"Guard", "guard"> {
  let summary = "a condition under which a variant may be launched";
  let description = [{
    The runtime checks the guards of a variant before a launch:

    - `capability`: the device's compute capability, as 10 * major + minor, is at least the first
      number, and at most the second.
    - `aligned`: the argument's address is a multiple of the number of bytes.
    - `divisible`: the value is a multiple of the number.
    - `range`: the value is at least the first number, and at most the second.
    - `equal`: the two values are equal.

    Constraints: capabilities, alignments and divisors are positive, alignments are powers of two,
    and no upper bound is below its lower bound (C109). Arguments and dimensions are those of the
    kernel (C117). No value depends on `resident` (C108).

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
    // The argument of Aligned; otherwise 0.
    DefaultValuedParameter<"int64_t", "0">:$argument,
    // The value of Divisible, Range and Equal, and the second value of Equal.
    OptionalParameter<"::carousel::ExprAttr">:$value,
    OptionalParameter<"::carousel::ExprAttr">:$other,
    // The least of Capability and Range, the bytes of Aligned, the divisor of Divisible; otherwise
    // 0.
    DefaultValuedParameter<"int64_t", "0">:$least,
    // The most of Capability and Range (INT64_MAX if unlimited); otherwise 0.
    DefaultValuedParameter<"int64_t", "0">:$most);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Carousel_LaunchAttr : Carousel_Attr<"Launch", "launch"> {
  let summary = "grid, block, cluster and dynamic shared memory of a kernel's launch";
  let description = [{
    The attribute `carousel.launch` of a kernel. `grid` has one to three expressions, and `block`
    and `cluster` have one to three numbers, x first. The extents of the cluster are 1 by default.
    `shared` is the dynamic shared memory in bytes, 0 by default.

    Constraints:

    - The grid has one to three dimensions. Constant ones are at most 2^31-1, 65535 and 65535, and
      multiples of the cluster's (C110).
    - The block has one to three dimensions, and 1 to 1024 threads, at most 64 in z. Only a kernel
      of the block phase may leave it out, and then passes choose it (C111).
    - The cluster has up to three dimensions, and 1 to 8 CTAs (C112).
    - Dynamic shared memory is 0 to 2^31-1 bytes (C113).
    - The attribute doesn't contradict the kernel's `known_block_size`, `known_cluster_size` and
      `known_grid_size` (C118).

    Example:

    ```mlir
    #carousel.launch<grid = [ceildiv(extent(0, 0), 4096)], block = [256], shared = 32768>
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"::carousel::ExprAttr", "one to three, x first">:$grid,
    OptionalArrayRefParameter<"int64_t", "one to three, x first; none if passes choose">:$block,
    OptionalArrayRefParameter<"int64_t", "none, or one to three, x first">:$cluster,
    DefaultValuedParameter<"int64_t", "0">:$shared);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Carousel_VariantAttr : Carousel_Attr<"Variant", "variant"> {
  let summary = "the kernel that a function is a variant of, and the function's guards";
  let description = [{
    The attribute `carousel.variant` of a `gpu.func`. Callers launch a kernel by its name. The
    runtime launches the first of its variants whose guards all hold. A function without this
    attribute is a variant, without guards, of the kernel of its own name.

    `cost` is the predicted time of a launch in nanoseconds. Where several variants that have one
    accept a launch, the cheapest of those before the first acceptable variant without a cost is
    launched (docs/Package.md, Choice of a variant).

    Constraints: the kernel's name has letters, digits and underscores only (C114). The cost's
    arguments and dimensions are those of the kernel (C117), and it doesn't depend on `resident`
    (C108).

    Example:

    ```mlir
    #carousel.variant<kernel = "copy_2d", guards = [capability(90), aligned(0, 16)]>
    #carousel.variant<kernel = "matmul", cost = ceildiv(extent(0, 0), 128 * sms) * 17000>
    ```
  }];
  let parameters = (ins
    StringRefParameter<"name that callers use">:$kernel,
    OptionalArrayRefParameter<"::carousel::GuardAttr", "in the order of checking">:$guards,
    OptionalParameter<"::carousel::ExprAttr", "predicted nanoseconds of a launch">:$cost);
  let builders = [AttrBuilder<(ins "::llvm::StringRef":$kernel,
                                   "::llvm::ArrayRef<::carousel::GuardAttr>":$guards),
                              [{ return $_get($_ctxt, kernel, guards, ::carousel::ExprAttr()); }]>];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Carousel_ArgumentAttr : Carousel_Attr<"Argument", "argument"> {
  let summary = "the name and the access of a kernel's argument";
  let description = [{
    The attribute `carousel.argument` of an argument that isn't a tensor map. The access says
    whether the kernel reads the argument (`in`), writes it (`out`), or both (`inout`, the default).

    `may_alias` is the number of an earlier argument. A caller may pass the same memref for both:
    the same address, extents and strides. Otherwise the two must have no element in common. The
    launch checks this.

    Constraints:

    - The name is a C identifier other than `sms` and `resident` (C114), and unique in its kernel.
    - Only memrefs are written (C119).
    - Both arguments of `may_alias` are memrefs of one type that callers pass, and the earlier one
      has no `may_alias` (C204).

    Example:

    ```mlir
    #carousel.argument<"y", out, may_alias = 0>
    ```
  }];
  let parameters = (ins
    StringRefParameter<"name, unique in its kernel">:$name,
    DefaultValuedParameter<"::carousel::ArgumentAccess",
        "::carousel::ArgumentAccess::InOut">:$access,
    // The number of the argument that this one may be the same memref as.
    OptionalParameter<"std::optional<int64_t>">:$mayAlias);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Carousel_EncodeAttr : Carousel_Attr<"Encode", "encode"> {
  let summary = "the memref from which the runtime encodes a tensor map argument";
  let description = [{
    The attribute `carousel.encode` of a tensor map argument. `argument` is the number of a memref
    argument. The map has this memref's extents and strides, unless the attribute gives others:
    `extents` in elements of the map, and `strides` in bytes, of all dimensions except the
    innermost. `offset` is the distance in bytes of the map's first byte from the memref's, 0 by
    default.

    Constraints: constant extents are 1 to 2^32, constant strides are multiples of 16 bytes below
    2^40, and a constant offset isn't negative (C115). There are as many extents as the map's rank,
    and one stride less (C120).

    Example:

    ```mlir
    #carousel.encode<argument = 0, extents = [extent(0, 0) * 2, 64], strides = [stride(0, 0) * 4]>
    ```
  }];
  let parameters = (ins
    "int64_t":$argument,
    // Empty for the argument's own.
    OptionalArrayRefParameter<"::carousel::ExprAttr",
        "elements of the map, outermost first">:$extents,
    OptionalArrayRefParameter<"::carousel::ExprAttr",
        "bytes, outermost first, all but the innermost">:$strides,
    // Null for 0.
    OptionalParameter<"::carousel::ExprAttr", "bytes">:$offset);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Carousel_WorkspaceAttr : Carousel_Attr<"Workspace", "workspace"> {
  let summary = "the dynamic extents of memory that the runtime allocates for a kernel";
  let description = [{
    Marks a memref argument that callers don't pass. The runtime allocates its memory for each
    stream, zeroes it once, and reuses it for later launches. There is one expression for each
    dynamic extent, over the arguments that callers pass.

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
