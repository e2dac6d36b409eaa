// Messages of the parsers and verifiers of launch attributes, each attribute on its own.
// RUN: carousel-opt %s --split-input-file --verify-diagnostics

// C110: no grid.
// expected-error @below {{expected one to three grid dimensions, got 0}}
func.func private @f() attributes {a = #carousel.launch<grid = [], block = [32]>}

// -----

// C110: a grid of rank 4.
// expected-error @below {{expected one to three grid dimensions, got 4}}
func.func private @f() attributes {a = #carousel.launch<grid = [1, 1, 1, 1], block = [32]>}

// -----

// C110: a negative grid.
// expected-error @below {{expected grid dimension 0 of 0 to 2147483647, got -1}}
func.func private @f() attributes {a = #carousel.launch<grid = [-1], block = [32]>}

// -----

// C110: a grid that is too high.
// expected-error @below {{expected grid dimension 1 of 0 to 65535, got 65536}}
func.func private @f() attributes {a = #carousel.launch<grid = [1, 65536], block = [32]>}

// -----

// C110: a grid that clusters do not tile.
// expected-error @below {{expected grid dimension 0 to be a multiple of the cluster's 2, got 5}}
func.func private @f() attributes {a = #carousel.launch<grid = [5], block = [32], cluster = [2]>}

// -----

// C110: clusters in a dimension that the grid has not.
// expected-error @below {{expected grid dimension 1 to be a multiple of the cluster's 2, got 1}}
func.func private @f() attributes {a = #carousel.launch<grid = [sms], block = [32], cluster = [1, 2]>}

// -----

// C111: a block of rank 4.
// expected-error @below {{expected one to three block dimensions, got 4}}
func.func private @f() attributes {a = #carousel.launch<grid = [1], block = [1, 1, 1, 1]>}

// -----

// C111: an empty block.
// expected-error @below {{expected 1 to 1024 threads of a block in all, got 32 * 0}}
func.func private @f() attributes {a = #carousel.launch<grid = [1], block = [32, 0]>}

// -----

// C111: too many threads.
// expected-error @below {{expected 1 to 1024 threads of a block in all, got 512 * 4}}
func.func private @f() attributes {a = #carousel.launch<grid = [1], block = [512, 4]>}

// -----

// C111: extents whose product overflows.
// expected-error @below {{expected 1 to 1024 threads of a block in all, got 4294967296 * 4294967296}}
func.func private @f() attributes {a = #carousel.launch<grid = [1], block = [4294967296, 4294967296]>}

// -----

// C111: a block that is too deep.
// expected-error @below {{expected block dimension 2 of 1 to 64, got 128}}
func.func private @f() attributes {a = #carousel.launch<grid = [1], block = [1, 1, 128]>}

// -----

// C112: a cluster of rank 4.
// expected-error @below {{expected one to three cluster dimensions, got 4}}
func.func private @f() attributes {a = #carousel.launch<grid = [1], block = [32], cluster = [1, 1, 1, 1]>}

// -----

// C112: a cluster that is too large.
// expected-error @below {{expected 1 to 8 CTAs of a cluster in all, got 4 * 4}}
func.func private @f() attributes {a = #carousel.launch<grid = [sms, sms], block = [32], cluster = [4, 4]>}

// -----

// C112: a negative cluster.
// expected-error @below {{expected 1 to 8 CTAs of a cluster in all, got -1}}
func.func private @f() attributes {a = #carousel.launch<grid = [1], block = [32], cluster = [-1]>}

// -----

// C113: less than no shared memory.
// expected-error @below {{expected 0 to 2147483647 bytes of dynamic shared memory, got -1}}
func.func private @f() attributes {a = #carousel.launch<grid = [1], block = [32], shared = -1>}

// -----

// C114: a kernel without a name.
// expected-error @below {{expected a kernel's name of letters, digits and _, got ''}}
func.func private @f() attributes {a = #carousel.variant<kernel = "">}

// -----

// C114: a name that is a path.
// expected-error @below {{expected a kernel's name of letters, digits and _, got '../copy'}}
func.func private @f() attributes {a = #carousel.variant<kernel = "../copy">}

// -----

// C114: an argument without a name.
// expected-error @below {{expected an argument's name of letters, digits and _ that begins with no digit, got ''}}
func.func private @f() attributes {a = #carousel.argument<"">}

// -----

// C114: a name that is a number.
// expected-error @below {{expected an argument's name of letters, digits and _ that begins with no digit, got '0'}}
func.func private @f() attributes {a = #carousel.argument<"0">}

// -----

// C114: a name that means something else.
// expected-error @below {{expected an argument's name other than sms, the number of multiprocessors}}
func.func private @f() attributes {a = #carousel.argument<"sms">}

// -----

// C114: another name that means something else.
// expected-error @below {{expected an argument's name other than resident, the number of CTAs on the device at once}}
func.func private @f() attributes {a = #carousel.argument<"resident">}

// -----

// C116: a field that a launch has not.
// expected-error @below {{expected one of grid, block, cluster, shared in a launch, got 'grids'}}
func.func private @f() attributes {a = #carousel.launch<grids = [1]>}

// -----

// C116: a field twice.
// expected-error @below {{expected each field of a launch once, got 'grid' again}}
func.func private @f() attributes {a = #carousel.launch<grid = [1], grid = [2], block = [32]>}

// -----

// C116: a variant without a kernel.
// expected-error @below {{expected kernel in a variant, got none}}
func.func private @f() attributes {a = #carousel.variant<guards = []>}

// -----

// C116: an access that is none.
// expected-error @below {{expected in, out, inout or may_alias, got 'read'}}
func.func private @f() attributes {a = #carousel.argument<"x", read>}

// -----

// C116: two accesses.
// expected-error @below {{expected may_alias, got 'out'}}
func.func private @f() attributes {a = #carousel.argument<"x", in, out>}
