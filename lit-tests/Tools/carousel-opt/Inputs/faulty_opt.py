"""Writes a carousel-opt into a folder whose passes each have a fault of another kind, and a carousel-sim that doesn't
end. It takes all texts, and has a pipeline that crashes on those with an @saxpy."""

import sys
from pathlib import Path

TEXT = """#!/bin/sh
case "$*" in
  *--help*)
    for name in aborts breaks dies hangs refuses reports; do
      echo "      --carousel-$name   -   has a fault"
    done
    echo "      --canonicalize   -   is another's"
    exit ;;
  *--carousel-aborts*) kill -ABRT $$ ;;
  *--carousel-dies*) kill -SEGV $$ ;;
  *--carousel-hangs*) while :; do :; done ;;
  *--carousel-reports*) echo 'LLVM ERROR: pattern produced IR that could not be legalized' >&2 ;;
  *--carousel-breaks*--verify-each=false*) exit 0 ;;
  *--carousel-breaks*) echo 'k.mlir:3:5: error: operand #0 does not dominate this use' >&2 ;;
  *--carousel-to-emitc*) grep -q '@saxpy' && kill -SEGV $$ ;;
  *--carousel*) echo 'k.mlir:3:5: error: expected something else' >&2 ;;
  *) exit 0 ;;
esac
exit 1
"""

folder = Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
for name, text in (("carousel-opt", TEXT), ("carousel-sim", "#!/bin/sh\nwhile :; do :; done\n")):
    tool = folder / name
    tool.write_text(text)
    tool.chmod(0o755)
