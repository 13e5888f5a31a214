"""Data that is missing, cut short, damaged or of the wrong kind: the error names the file, and what was expected."""

import gzip
import os
import pathlib
import shutil
import tempfile

from support import MNIST, check, trainer

NAMES = [f"{part}-{kind}-ubyte" for part in ("train", "t10k") for kind in ("images-idx3", "labels-idx1")]


def case(title, change, *said, flags=(), expect=1):
    """Runs on a copy of MNIST (of links) after `change` has changed it."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name in NAMES:
            (folder / name).symlink_to(MNIST / name)
        change(folder)
        done = trainer("--max_steps", 1, *flags, data=folder, expect=expect)
        for text in said:
            check(text.format(folder=folder) in done.stderr, f"{title}: no {text!r} in {done.stderr}")
        print(f"{title}: as expected")


def replace(name, content):
    def change(folder):
        bytes_ = bytearray((folder / name).read_bytes())
        (folder / name).unlink()
        (folder / name).write_bytes(content(bytes_))
    return change


def flipped(content):
    content[-5] ^= 1
    return content


def remove(name):
    return lambda folder: (folder / name).unlink()


def all_flipped(folder):
    for name in NAMES:
        replace(name, flipped)(folder)


case("absent", remove("t10k-labels-idx1-ubyte"),
     "cannot read the data file {folder}/t10k-labels-idx1-ubyte", "ENOENT", "get-mnist")
case("cut short", replace("train-images-idx3-ubyte", lambda b: b[:1000]),
     "cannot use {folder}/train-images-idx3-ubyte", "it is cut short: it has 1000 bytes, but according to its header 47040016")
case("empty", replace("train-labels-idx1-ubyte", lambda b: b""),
     "cannot use {folder}/train-labels-idx1-ubyte", "it has 0 bytes")
case("another kind", lambda f: ((f / NAMES[0]).unlink(), shutil.copy(MNIST / NAMES[1], f / NAMES[0])),
     "begins with 0x00000801; an IDX file of images begins with 0x00000803")
case("a web page", replace("t10k-images-idx3-ubyte", lambda b: b"<!DOCTYPE html><html>"), "begins with 0x3c21444f")
case("labels of another set", lambda f: ((f / NAMES[1]).unlink(), shutil.copy(MNIST / NAMES[3], f / NAMES[1])),
     "the data files do not match", "60000 images", "10000 labels")
case("a flipped bit", replace("train-images-idx3-ubyte", flipped), "{folder}/train-images-idx3-ubyte is not the file of MNIST",
     "expected 6bbc9ace898e44ae57da46a324031adb (3 of the 4 files belong to MNIST)")
case("a flipped bit, meant", replace("train-images-idx3-ubyte", flipped), "the data are not MNIST",
     flags=["--verify=custom"], expect=0)
case("data of one's own", all_flipped, "the data are not MNIST", expect=0)
case("data of one's own, not wanted", all_flipped, "is not the file of MNIST", flags=["--verify=mnist"])
case("compressed and damaged", replace("train-labels-idx1-ubyte", lambda b: gzip.compress(b)[:-9]), "cannot use {folder}/train-labels",
     "it is cut short: its compressed content does not end")
for name, label, untaught in (("train-labels-idx1-ubyte", 255, 10), ("t10k-labels-idx1-ubyte", 11, 11)):
    case("a label of no class", replace(name, lambda b, label=label: b[:-1] + bytes([label])), f"cannot use {{folder}}/{name}",
         f"it has the label {label}, but no training example has the label {untaught}",
         flags=["--verify=custom"])
case("MNIST, where another set is wanted", lambda f: None, "is not the file of Fashion-MNIST", flags=["--verify=fashion-mnist"])
done = trainer("--max_steps", 1, data="/nowhere", expect=1)
check("/nowhere/t10k-images-idx3-ubyte" in done.stderr, done.stderr)
if os.getuid() != 0:
    case("not readable", replace("train-labels-idx1-ubyte", bytes), "EACCES")
