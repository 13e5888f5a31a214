#!/usr/bin/env python3
"""Which lines tests/docs/page takes for the same, and which it does not."""

import importlib.machinery
import importlib.util
import pathlib
import unittest

loader = importlib.machinery.SourceFileLoader("page", str(pathlib.Path(__file__).with_name("page")))
page = importlib.util.module_from_spec(importlib.util.spec_from_loader("page", loader))
loader.exec_module(page)

ALIKE = [("best: lr=0.005665", "best: lr=0.123456"), ("ran 12s, 3 of 40", "ran 7s, 11 of 4"), ("loss  0.25   1", "loss 1.37 22"),
         ("→ local/default as root", "→ local/default as ana"), ("job train-4xpw2: starts", "job train-abcde: starts"),
         ("kml 0.1.0", "kml 0.12.3"), ("at 10.0.0.1:443", "at 127.0.0.1:9"), ("layers=1..4", "layers=2..16"),
         ("It took 0.5s.", "It took 2.7s."), ("a 1e-4", "a 3e-4"), ("ended.", "ended.  ")]
NOT_ALIKE = [("best: lr=0.005665", "best: lr=0.00566528360828726"), ("loss 0.25", "loss 0.2"), ("loss 0.25", "loss 1"),
             ("lr 0.001133  1", "lr 0.0011328924963386442 1"), ("2 of 3", "two of 3"), ("It took 0.5s.", "It took 0.55s.")]


class Alike(unittest.TestCase):
    def test_lines_of_two_runs(self):
        for one, other in ALIKE:
            self.assertEqual(page.alike(one), page.alike(other))

    def test_lines_that_say_something_else(self):
        for one, other in NOT_ALIKE:
            self.assertNotEqual(page.alike(one), page.alike(other), one)


if __name__ == "__main__":
    unittest.main()
