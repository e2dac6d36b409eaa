//===- CarouselGroupAttrs.td - how groups become kernels ---*- tablegen -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The decisions that a carousel.group holds: which loops its ops share, and the schedules of its
// kernel's variants. docs/GraphPhase.md, Fusion groups and Kernels, explains them.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_CAROUSELGROUPATTRS_TD
#define CAROUSEL_DIALECT_IR_CAROUSELGROUPATTRS_TD

include "carousel/Dialect/IR/Attrs/CarouselLaunchAttrs.td"

def Carousel_ScheduleFamily : Carousel_Enum<"ScheduleFamily", "how a group becomes a kernel", [
  // One product, with elementwise ops before and after it, and reductions of its columns if a tile
  // has all of them; or two products of one factor, with elementwise ops after them.
  I32EnumCase<"Contraction", 0, "contraction">,
  // Reductions along the dimension in which elements are neighbours: a program has a row.
  I32EnumCase<"Row", 1, "row">,
  // Reductions along others: a program has some columns.
  I32EnumCase<"Column", 2, "column">,
  // No reduction.
  I32EnumCase<"Elementwise", 3, "elementwise">,
  // Products and reductions along one dimension, each of which may need results of the ones before
  // it, in one pass.
  I32EnumCase<"Stream", 4, "stream">,
  // Anything: a program has elements of the results, and loops reduce.
  I32EnumCase<"Loops", 5, "loops">]>;

def Carousel_DimWalk : Carousel_Enum<"DimWalk",
    "what goes along a dimension in steps of a vector's elements", [
  I32EnumCase<"Grid", 0, "grid">, I32EnumCase<"Loop", 1, "loop">,
  // The vector has all of the dimension.
  I32EnumCase<"None", 2, "none">]>;

def Carousel_SharedReadAttr : Carousel_Attr<"SharedRead", "shared_read"> {
  let summary = "a tensor along which two ops of a group go together";
  let description = [{
    The ops `op` and `with` of a group both read the tensor that is read number `read` of `op`. The
    loops along its dimensions are the same for both. Ops are numbered in the order of the group's
    region, structured ops only. Reads are the inputs, then the tensors that the body extracts
    elements of, then the outputs that it reads.

    Example:

    ```mlir
    #carousel.shared_read<op = 0, read = 1, with = 2>
    ```
  }];
  let parameters = (ins "int64_t":$op, "int64_t":$read, "int64_t":$with);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Carousel_ScheduledDimAttr : Carousel_Attr<"ScheduledDim", "scheduled_dim"> {
  let summary = "how a kernel goes along dimensions of its group";
  let description = [{
    Dimensions of a group that are next to each other in all tensors and so are one, outermost
    first, what goes along them, and the elements of them that a vector has. Dimensions are numbered
    by the ops' loops: of the first op, outermost first, and then those that each further op adds.

    Example:

    ```mlir
    #carousel.scheduled_dim<[0, 1], grid, 128>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$dims,
                    EnumParameter<Carousel_DimWalk>:$walk, "int64_t":$tile);
  let assemblyFormat = "`<` `[` $dims `]` `,` $walk `,` $tile `>`";
}

def Carousel_DivisionAttr : Carousel_Attr<"Division", "division"> {
  let summary = "a reduction that several programs divide among themselves";
  let description = [{
    `position` is that of the divided dimension in the schedule. A part has at least `least_length`
    elements of it; or, if one loop goes along several dimensions, so many iterations, where
    `step_elements` elements are `step_iterations` iterations. There are at most `most_parts` parts,
    and at most `wanted_programs` programs with all of them. The parts of a `cluster` are its
    `most_parts` CTAs, which leave their results in shared memory.

    Example:

    ```mlir
    #carousel.division<position = 2, least_length = 1024, most_parts = 8, wanted_programs = 132>
    ```
  }];
  let parameters = (ins "int64_t":$position,
                    DefaultValuedParameter<"int64_t", "1">:$step_elements,
                    DefaultValuedParameter<"int64_t", "1">:$step_iterations,
                    "int64_t":$least_length, "int64_t":$most_parts, "int64_t":$wanted_programs,
                    DefaultValuedParameter<"bool", "false">:$cluster);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Carousel_GroupScheduleAttr : Carousel_Attr<"GroupSchedule", "group_schedule"> {
  let summary = "which part of a group each program has";
  let description = [{
    Vectors have their dimensions in the order of `dims`, and so has the grid. Numbers of the other
    parameters are positions in `dims`.

    - `one_loop`: one loop goes along all dimensions of loops, the last one innermost.
    - `covered`: the kernel's variants cover the extent of this dimension.
    - `few`: a dimension of few elements, all of which vectors have. With the one before it, it is
      one dimension of the memrefs that have both.
    - `few_rows`: launches that have few elements of this dimension take this schedule.
    - `division`: several programs divide a loop. If extents of the launch say how many, launches
      with several parts take this schedule.

    Constraints:

    - Positions are those of dimensions, each of the group's dimensions is in one place, tiles have
      1 to 1048576 elements, and a division is by numbers above 0 (C360).
    - The schedule fits the group's ops (C361).

    Example:

    ```mlir
    #carousel.group_schedule<contraction, [<[0], grid, 128>, <[1], grid, 256>, <[2], loop, 64>]>
    ```
  }];
  let parameters = (ins EnumParameter<Carousel_ScheduleFamily>:$family,
                    ArrayRefParameter<"::carousel::ScheduledDimAttr">:$dims,
                    DefaultValuedParameter<"bool", "false">:$one_loop,
                    OptionalParameter<"std::optional<int64_t>">:$covered,
                    OptionalParameter<"std::optional<int64_t>">:$few,
                    OptionalParameter<"std::optional<int64_t>">:$few_rows,
                    OptionalParameter<"::carousel::DivisionAttr">:$division);
  let assemblyFormat = [{
    `<` $family `,` `[` $dims `]` (`one_loop` `=` $one_loop^)? (`covered` `=` $covered^)?
    (`few` `=` $few^)? (`few_rows` `=` $few_rows^)? (`division` `=` $division^)? `>`
  }];
  let genVerifyDecl = 1;
}

#endif // CAROUSEL_DIALECT_IR_CAROUSELGROUPATTRS_TD
