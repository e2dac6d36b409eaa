"""Prints a function of a file with 60 ops more for a value: share-values.py FILE FUNCTION VALUE NUMBER OP [OTHER].

Each uses the op before it twice, or that and OTHER's, which is a chain of its own from a constant on, so that ops that
fold what they have twice stay. Of the definitions of %VALUE in the function, the one of this NUMBER has its uses replaced."""

import re
import sys

file, function, value, number, op, *others = sys.argv[1:]
value = "%" + value
lines = open(file, encoding="utf-8").read().split("\n")
begin = next(i for i, line in enumerate(lines) if re.match(rf"func\.func (private )?@{function}\(", line))
end = lines.index("}", begin)
places = [i for i in range(begin, end) if re.match(rf"\s*{value} = ", lines[i])] + [end]
at, stop = places[int(number) :][:2]
kind = lines[at].rsplit(" to " if " to " in lines[at] else " : ", 1)[1].strip()
kind = "i1" if "arith.cmp" in lines[at] else kind
ops, last, other = [], value, "%base" if others else value
if others:
    ops.append(f"%base = arith.constant {'7.0' if 'f' in kind else 'true' if kind == 'i1' else '7'} : {kind}")
for i in range(60):
    ops.append(f"%s{i} = arith.{op} {last}, {other} : {kind}")
    if others:
        ops.append(f"%t{i} = arith.{others[0]} {last}, {other} : {kind}")
    last, other = f"%s{i}", f"%t{i}" if others else f"%s{i}"
rest = [re.sub(rf"{value}\b", last, line) for line in lines[at + 1 : stop]] + lines[stop : end + 1]
print("\n".join([line for line in lines if line.startswith("#")] + lines[begin : at + 1] + ops + rest))
