// Messages of the parsers of launch expressions and guards.
// RUN: carousel-opt %s --split-input-file --verify-diagnostics

// C108: no expression.
// expected-error @below {{expected an integer, a name of a launch expression, or '('}}
func.func private @f() attributes {a = #carousel.expr<+>}

// -----

// C108: a name that means nothing.
// expected-error @below {{expected sms, resident, extent, stride, scalar, floordiv, ceildiv, mod, min or max, got 'warps'}}
func.func private @f() attributes {a = #carousel.expr<warps>}

// -----

// C108: an operator by its name.
// expected-error @below {{expected sms, resident, extent, stride, scalar, floordiv, ceildiv, mod, min or max, got 'add'}}
func.func private @f() attributes {a = #carousel.expr<add(1, 2)>}

// -----

// C108: a guard is there before the variant is loaded.
// expected-error @below {{expected resident in a grid only, got it in a guard}}
func.func private @f() attributes {a = #carousel.guard<equal(extent(0, 0), min(resident, 4))>}

// -----

// C108: a cost is there before the variant is loaded.
// expected-error @below {{expected resident in a grid only, got it in a cost}}
func.func private @f() attributes {a = #carousel.variant<kernel = "k", cost = resident * 16>}

// -----

// C108: an encoding serves any grid.
// expected-error @below {{expected resident in a grid only, got it in an encoding}}
func.func private @f() attributes {a = #carousel.encode<argument = 0, offset = resident * 16>}

// -----

// C108: a workspace serves all variants.
// expected-error @below {{expected resident in a grid only, got it in a workspace's extents}}
func.func private @f() attributes {a = #carousel.workspace<[4, resident]>}

// -----

// C108: one operand.
// expected-error @below {{expected ','}}
func.func private @f() attributes {a = #carousel.expr<min(1)>}

// -----

// C108: two operands without an operator.
// expected-error @below {{expected ')'}}
func.func private @f() attributes {a = #carousel.expr<(1 2)>}

// -----

// C108: a trailing operator.
// expected-error @below {{expected an integer, a name of a launch expression, or '('}}
func.func private @f() attributes {a = #carousel.expr<1 *>}

// -----

// C108: a constant of more than 64 bits.
// expected-error @below {{integer value too large}}
func.func private @f() attributes {a = #carousel.expr<9223372036854775808>}

// -----

// C108: an argument that is no number.
// expected-error @below {{expected the number of an argument in extent, got -1}}
func.func private @f() attributes {a = #carousel.expr<extent(-1, 0)>}

// -----

// C108: a dimension that is no number.
// expected-error @below {{expected the number of a dimension in stride, got -2}}
func.func private @f() attributes {a = #carousel.expr<stride(0, -2)>}

// -----

// C108: too many parts, 129 constants and 128 operators.
// expected-error @below {{expected an expression of at most 256 operators and operands, got 257}}
func.func private @f() attributes {a = #carousel.expr<1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1>}

// -----

// C108: too many parentheses, even if they mean nothing.
// expected-error @below {{expected an expression nested at most 64 deep, got more}}
func.func private @f() attributes {a = #carousel.expr<(((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((1)))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))>}

// -----

// C108: too many functions.
// expected-error @below {{expected an expression nested at most 64 deep, got more}}
func.func private @f() attributes {a = #carousel.expr<min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, 1)))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))>}

// -----

// C109: no guard.
// expected-error @below {{expected a guard}}
func.func private @f() attributes {a = #carousel.guard<1>}

// -----

// C109: a name that means nothing.
// expected-error @below {{expected capability, aligned, divisible, range or equal, got 'even'}}
func.func private @f() attributes {a = #carousel.guard<even(scalar(0))>}

// -----

// C109: no compute capability.
// expected-error @below {{expected a compute capability of 1 to 2147483647, got 0}}
func.func private @f() attributes {a = #carousel.guard<capability(0)>}

// -----

// C109: more than a package's reader takes.
// expected-error @below {{expected a compute capability of 1 to 2147483647, got 2147483648}}
func.func private @f() attributes {a = #carousel.guard<capability(90, 2147483648)>}

// -----

// C109: no upper bound, but a lower one that is too high.
// expected-error @below {{expected a compute capability of 1 to 2147483647, got 9223372036854775807}}
func.func private @f() attributes {a = #carousel.guard<capability(9223372036854775807)>}

// -----

// C109: compute capabilities from the higher to the lower.
// expected-error @below {{expected an upper bound of 100 or more in capability, got 90}}
func.func private @f() attributes {a = #carousel.guard<capability(100, 90)>}

// -----

// C109: an argument that is no number.
// expected-error @below {{expected the number of an argument in aligned, got -1}}
func.func private @f() attributes {a = #carousel.guard<aligned(-1, 16)>}

// -----

// C109: an alignment of 24.
// expected-error @below {{expected an alignment that is a power of two, got 24}}
func.func private @f() attributes {a = #carousel.guard<aligned(0, 24)>}

// -----

// C109: a negative alignment, the lowest number.
// expected-error @below {{expected an alignment that is a power of two, got -9223372036854775808}}
func.func private @f() attributes {a = #carousel.guard<aligned(0, -9223372036854775808)>}

// -----

// C109: a multiple of nothing.
// expected-error @below {{expected a divisor above 0, got 0}}
func.func private @f() attributes {a = #carousel.guard<divisible(scalar(0), 0)>}

// -----

// C109: an empty range.
// expected-error @below {{expected an upper bound of 4 or more in range, got 3}}
func.func private @f() attributes {a = #carousel.guard<range(scalar(0), 4, 3)>}
