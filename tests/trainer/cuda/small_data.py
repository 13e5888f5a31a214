"""A part of MNIST, small enough for an emulator."""

import pathlib
import struct
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "run"))
import support


def write_data(folder, side=20, counts=(300, 200)):
    edge = (28 - side) // 2
    folder.mkdir()
    for part, count in zip(("train", "t10k"), counts):
        images, labels = support.mnist(part)
        small = images[:count].reshape(-1, 28, 28)[:, edge:edge + side, edge:edge + side]
        (folder / f"{part}-images-idx3-ubyte").write_bytes(struct.pack(">4I", 0x803, count, side, side) + small.astype(np.uint8).tobytes())
        (folder / f"{part}-labels-idx1-ubyte").write_bytes(struct.pack(">2I", 0x801, count) + labels[:count].tobytes())
    return folder


if __name__ == "__main__":
    write_data(pathlib.Path(sys.argv[1]), int(sys.argv[2]))
