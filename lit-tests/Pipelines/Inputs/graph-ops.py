"""Writes a graph of many ops: joins (rolls), a chain, inserts of elements, arguments, a chain of results, or the ops of
one body."""
import sys

kind, count = sys.argv[1], int(sys.argv[2])
ROW, TYPE = "affine_map<(i) -> (i)>", "tensor<256xf32>"


def structured(result, inputs, body, value):
    maps = ", ".join([ROW] * (len(inputs) + 1))
    types = ", ".join([TYPE] * len(inputs))
    ins = f"ins({', '.join(inputs)} : {types}) " if inputs else ""
    names = "".join(f"%i{n}: f32, " for n in range(len(inputs)))
    return f"""{result} = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel"]}} {ins}outs(%e : {TYPE}) {{
^bb0({names}%o: f32):
{body}
  linalg.yield {value} : f32
}} -> {TYPE}"""


def roll(step, value):
    """The elements from 1 on, and the first one behind them."""
    return f"""%rest{step} = tensor.extract_slice {value}[1] [255] [1] : {TYPE} to tensor<255xf32>
%first{step} = tensor.extract_slice {value}[0] [1] [1] : {TYPE} to tensor<1xf32>
""" + structured(f"%joined{step}", [], f"""  %n = linalg.index 0 : index
  %isRest = arith.cmpi ult, %n, %c255 : index
  %v = scf.if %isRest -> (f32) {{
    %x = tensor.extract %rest{step}[%n] : tensor<255xf32>
    scf.yield %x : f32
  }} else {{
    %m = arith.subi %n, %c255 : index
    %x = tensor.extract %first{step}[%m] : tensor<1xf32>
    scf.yield %x : f32
  }}""", "%v")


arguments, lines, value = ["%p", "%q"], [], "%p"
for step in range(count):
    own = value
    if kind == "joins":
        lines.append(roll(step, value))
        own = f"%joined{step}"
    if kind == "inserts":
        place = 7 * step % 256
        lines.append(f"""%x{step} = tensor.extract_slice %q[{step % 256}] [1] [1] : {TYPE} to tensor<1xf32>
%v{step} = tensor.insert_slice %x{step} into {value}[{place}] [1] [1] : tensor<1xf32> into {TYPE}""")
    elif kind == "body":
        inputs = ("%i0" if step == 0 else f"%b{step - 1}", "%i1")
        lines.append(f"  %b{step} = arith.{'addf' if step % 2 else 'mulf'} {inputs[0]}, {inputs[1]} : f32")
    else:
        if kind == "arguments":
            arguments.append(f"%a{step}")
        op = "addf" if kind == "joins" or step % 2 else "mulf"
        lines.append(structured(f"%v{step}", [own, arguments[-1]], f"  %r = arith.{op} %i0, %i1 : f32", "%r"))
    value = f"%v{step}"
if kind == "body":
    lines = [structured(value, ["%p", "%q"], "\n".join(lines), f"%b{count - 1}")]
text = "\n".join(lines)
results = [f"%v{step}" for step in range(count)] if kind == "results" else [value]
types = ", ".join([TYPE] * len(results))
print(f"""func.func @main({", ".join(f"{argument}: {TYPE}" for argument in arguments)}) -> ({types}) {{
%c255 = arith.constant 255 : index
%e = tensor.empty() : {TYPE}
{text}
return {", ".join(results)} : {types}
}}""")
