# Writes FOLDER/0.mlir, 1.mlir...: FILE without its first barrier of the cluster, its second...
import sys
from pathlib import Path

BARRIER = "    carousel.cluster.arrive\n    carousel.cluster.wait\n"
parts = Path(sys.argv[1]).read_text(encoding="utf-8").split(BARRIER)
assert len(parts) > 1, f"expected barriers of the cluster in {sys.argv[1]}"
for number in range(len(parts) - 1):
    text = BARRIER.join(parts[:number + 1]) + BARRIER.join(parts[number + 1:])
    (Path(sys.argv[2]) / f"{number}.mlir").write_text(text, encoding="utf-8")
