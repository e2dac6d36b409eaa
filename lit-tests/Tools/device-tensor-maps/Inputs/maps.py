"""Writes maps with the parameters of device-tensor-maps, whose bytes have a layout of this test: rank, element, address, extents,
strides and corners. With `broken`, a bit is the parity of others, which no field is."""

import json
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader

loader = SourceFileLoader("maps", sys.argv[1])
maps = module_from_spec(spec_from_loader("maps", loader))
loader.exec_module(maps)


def encode(fields):
    rank = len(fields["shape"])
    word = rank - 1 | maps.ENUMERATIONS["element"][fields["element"]] * 3 << 8 | fields["address"] << 64
    for dim, extent in enumerate(reversed(fields["shape"])):
        word |= extent - 1 << (128 + 32 * dim)
    for dim, stride in enumerate(reversed(fields["global_strides"])):
        word |= (stride >> 4 & 0xffffffff) << (320 + 32 * dim) | stride >> 36 << (448 + 4 * dim)
    width = maps.CORNERS.get(rank, 0)
    for dim, corner in enumerate(reversed(fields.get("lower", []))):
        word |= (corner & (1 << width) - 1) << (512 + width * dim)
    if sys.argv[3:] == ["broken"]:
        word |= (fields["box"][0] + (fields["address"] >> 5) & 1) << 1000
    return word.to_bytes(128, "little")


with open(sys.argv[2], "w", encoding="utf-8") as out:
    out.write("{}\n")
    for mode in maps.MODES:
        for fields in maps.alone(mode):
            valid = max(fields["shape"]) <= 1 << 32
            data = encode(fields).hex() if valid else ""
            out.write(json.dumps({**fields, "status": 0 if valid else 1, "bytes": data}) + "\n")
