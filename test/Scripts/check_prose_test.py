# ===- check_prose_test.py - tests of scripts/checks/check-prose ------------------ py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Breaks one thing at a time in a small tree and expects the check to find it."""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(__file__).parents[2]
SCRIPT = SOURCE / "scripts/checks/check-prose"
LONG = "word " * 24
PAGE = """# A page

See [the other page](docs/Other.md#a-heading), and [above](#a-page).

| a table | %s |

```sh
%s
```
""" % (LONG, LONG)
OPS = """def Op : Carousel_Op<"op"> {
  let summary = "Do it";
  let description = [{
    It does it.
  }];
}
"""
TREE = {"README.md": PAGE, "docs/Other.md": "# Other\n\n## A heading\n\nText.\n", "include/Ops.td": OPS}


class CheckProse(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        (self.root / "scripts/checks").mkdir(parents=True)
        shutil.copy(SOURCE / "scripts/checks/prose-words.txt", self.root / "scripts/checks")
        for path, text in TREE.items():
            (self.root / path).parent.mkdir(exist_ok=True)
            (self.root / path).write_text(text, encoding="utf-8")

    def check(self, *options):
        return subprocess.run([sys.executable, SCRIPT, self.root, *options], text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def expect_fault(self, fault, path, old, new):
        self.assertIn(old, TREE[path])
        (self.root / path).write_text(TREE[path].replace(old, new), encoding="utf-8")
        run = self.check()
        self.assertEqual(run.returncode, 1, run.stdout)
        self.assertIn(fault, run.stderr)

    def test_good_tree(self):
        run = self.check()
        self.assertEqual(run.returncode, 0, run.stderr)

    def test_nothing_to_check(self):
        with tempfile.TemporaryDirectory() as folder:
            run = subprocess.run([sys.executable, SCRIPT, folder], text=True, check=False, capture_output=True)
        self.assertEqual(run.returncode, 2, run.stderr)

    def test_long_lines(self):
        self.expect_fault("docs/Other.md:5: expected at most 100 columns, got 119", "docs/Other.md", "Text.",
                          LONG.strip())
        self.expect_fault("include/Ops.td:4: expected at most 100 columns", "include/Ops.td", "It does it.", LONG)

    def test_dead_link(self):
        self.expect_fault("README.md:3: expected a link to a file of the tree, got 'docs/None.md#a-heading'",
                          "README.md", "docs/Other.md", "docs/None.md")

    def test_dead_anchor(self):
        self.expect_fault("README.md:3: expected an anchor that docs/Other.md has, got '#no-heading'", "README.md",
                          "#a-heading", "#no-heading")
        self.expect_fault("README.md:3: expected an anchor that README.md has, got '#no-page'", "README.md",
                          "#a-page", "#no-page")

    def test_words(self):
        self.expect_fault("include/Ops.td:4: 'Nobody'", "include/Ops.td", "It does it.", "Nobody does it.")
        self.expect_fault("docs/Other.md:5: 'a tenth less'", "docs/Other.md", "Text.", "It takes a tenth less.")

    def test_words_in_code(self):
        (self.root / "docs/Other.md").write_text("# Other\n\n## A heading\n\nThe option `--nobody`.\n")
        self.assertEqual(self.check().returncode, 0)

    def test_comments(self):
        file = self.root / "include/Ops.h"
        for text in ("/// What it does.\nint f();\n", "int x; // one\n  // Of two.\n", "// One.\n//\n// Which one.\n",
                     "// That of a ring.\n", "//===---===//\n// What is left\n//===---===//\n"):
            file.write_text(text, encoding="utf-8")
            run = self.check()
            self.assertEqual(run.returncode, 1, text)
            self.assertIn("expected a comment to begin with", run.stderr)
        file.write_text("/// Whether it does\n/// What is left.\n// Often.\nint f(); // What\n", encoding="utf-8")
        self.assertEqual(self.check().returncode, 0)

    def test_spelling(self):
        self.expect_fault("recieve ==> receive", "docs/Other.md", "Text.", "They recieve it.")

    def test_fix(self):
        page = "# Other\n\n## A heading\n\n" + LONG + "\n- item " + LONG + "\n- " + "`a b` " * 30 + "\n"
        (self.root / "docs/Other.md").write_text(page, encoding="utf-8")
        run = self.check("--fix")
        self.assertEqual(run.returncode, 0, run.stderr)
        fixed = (self.root / "docs/Other.md").read_text(encoding="utf-8")
        self.assertEqual(fixed.split(), page.split())
        self.assertNotRegex(fixed, r"`a\n")
        self.assertIn("\n  word", fixed)
        self.assertEqual((self.root / "README.md").read_text(encoding="utf-8"), PAGE)


if __name__ == "__main__":
    unittest.main()
