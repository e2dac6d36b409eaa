# ===- run_docs_test.py - tests of scripts/pages/run-docs ------------------------ py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Pages whose commands do what they show, and pages whose commands don't."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "scripts/pages/run-docs"
PAGE = """# A page

<!-- file: names.txt -->
```text
one
two
three
```

```sh
cat names.txt
echo in 0.1 s
```

```text
one
...
three
in 2 s
```

<!-- status: 3 -->
```sh
exit 3
```

<!-- run: no -->
```sh
false
```
"""


class RunDocs(unittest.TestCase):
    def run_page(self, text):
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "Page.md"
            page.write_text(text, encoding="utf-8")
            return subprocess.run([sys.executable, SCRIPT, page], text=True, check=False, capture_output=True)

    def expect_fault(self, fault, old, new):
        self.assertIn(old, PAGE)
        done = self.run_page(PAGE.replace(old, new))
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn(fault, done.stdout)

    def test_good_page(self):
        done = self.run_page(PAGE)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("2 blocks of commands, 0 faults", done.stdout)

    def test_other_output(self):
        self.expect_fault("Page.md:15: expected what the page shows", "two\nthree\n```", "two\nfour\n```")
        self.expect_fault("Page.md:15: expected what the page shows", "...\nthree", "three")
        self.expect_fault("Page.md:15: expected what the page shows", "in 2 s\n", "in 2 s\nand more\n")

    def test_other_status(self):
        self.expect_fault("expected exit status 3, got 0", "exit 3", "exit 0")
        self.expect_fault("expected exit status 0, got 1", "cat names.txt", "cat names.txt; false")

    def test_other_part(self):
        self.expect_fault("expected a part of LICENSE, got another text", "<!-- status: 3 -->",
                          "<!-- part of: LICENSE -->\n```text\nno such line\n```\n\n<!-- status: 3 -->")

    def test_file_of_the_tree(self):
        done = self.run_page(PAGE.replace("names.txt", "scripts/test"))
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("expected the name of a new file, got 'test'", done.stderr)

    def test_no_commands(self):
        self.assertEqual(self.run_page("# A page\n").returncode, 1)


if __name__ == "__main__":
    unittest.main()
