"""Prints a graph whose condition, a number below one, is part of 40 conjunctions of two each that have all of them before."""
print("""#i = affine_map<(i) -> (i)>
func.func @main(%x: tensor<64xi32>, %y: tensor<64xi32>) -> tensor<64xi32> {
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<64xi32>
  %r = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<64xi32>, tensor<64xi32>) outs(%e : tensor<64xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %c0 = arith.cmpi slt, %a, %one : i32""")
for i in range(40):
    print(f"""    %n{i} = arith.constant {i + 10} : i32
    %d{i} = arith.cmpi ne, %b, %n{i} : i32
    %f{i} = arith.cmpi ugt, %b, %n{i} : i32
    %s{i} = arith.andi %c{i}, %d{i} : i1
    %t{i} = arith.andi %c{i}, %f{i} : i1
    %c{i + 1} = arith.andi %s{i}, %t{i} : i1""")
print("""    %sign = arith.cmpi sge, %a, %zero : i32
    %all = arith.andi %c40, %sign : i1
    %v = arith.select %all, %b, %zero : i32
    linalg.yield %v : i32
  } -> tensor<64xi32>
  return %r : tensor<64xi32>
}""")
