"""A small data set of a user: both networks, every optimizer and schedule, with several numbers of ranks and threads,
stopped and resumed."""

import gzip
import pathlib
import struct
import tempfile

import numpy as np
from support import check, metrics, newest, ranks, tensors, trainer

CLASSES, ROWS, COLUMNS = 12, 10, 13


def write(folder, packed):
    """Writes images that are noise around one picture for each class."""
    random = np.random.default_rng(1)
    pictures = random.integers(0, 200, (CLASSES, ROWS, COLUMNS))
    for part, count in (("train", 600), ("t10k", 250)):
        labels = np.arange(count) % CLASSES
        images = pictures[labels] + random.integers(0, 56, (count, ROWS, COLUMNS))
        for name, header, values in ((f"{part}-images-idx3-ubyte", (0x803, count, ROWS, COLUMNS), images),
                                     (f"{part}-labels-idx1-ubyte", (0x801, count), labels)):
            content = struct.pack(f">{len(header)}I", *header) + values.astype(np.uint8).tobytes()
            path = pathlib.Path(folder, name + (".gz" if packed else ""))
            path.write_bytes(gzip.compress(content) if packed else content)


KINDS = {
    "mlp, sgd, cosine": ["--model=mlp", "--hidden=40", "--optimizer=sgd", "--schedule=cosine", "--warm-up=5"],
    "cnn, adam, step": ["--model=cnn", "--hidden=24", "--schedule=step"],
    "cnn, shift": ["--model=cnn", "--hidden=24", "--schedule=step", "--shift=1"],
    "cnn, Nesterov": ["--model=cnn", "--hidden=24", "--optimizer=sgd", "--nesterov", "--momentum=0.8", "--evaluate-every=0"],
}
with tempfile.TemporaryDirectory() as folder:
    data = f"{folder}/data"
    pathlib.Path(data).mkdir()
    write(data, packed=True)
    for kind, flags in KINDS.items():
        flags = [*flags, "--max_steps=60", "--batch-size=36", "--checkpoint-every=7", "--data", data]
        at = f"{folder}/{kind}"
        alone = trainer(*flags, "--threads=1", "--checkpoint-dir", f"{at}/alone", "--metrics", f"{at}-metrics")
        expected = newest(f"{at}/alone").read_bytes()
        lines = metrics(f"{at}-metrics")
        check(lines[-1]["accuracy"] > (0.7 if "shift" in kind else 0.9), f"{kind}: {lines[-1]}")
        check(tensors(newest(f"{at}/alone"))[0]["output.bias"].shape == (CLASSES,), "the classes are those of the labels")
        rates = [line["learning_rate"] for line in lines if line["event"] == "update"]
        check((len(set(rates)) > 1) == ("Nesterov" not in kind), f"{kind}: learning rates {rates}")
        trainer(*flags, "--threads=3", "--checkpoint-dir", f"{at}/threads")
        check(newest(f"{at}/threads").read_bytes() == expected, f"{kind}: three threads give other bytes")
        for world in (2, 4, 8):
            ranks(world, *flags, "--checkpoint-dir", f"{at}/{world}")
            check(newest(f"{at}/{world}").read_bytes() == expected, f"{kind}: {world} ranks give other bytes")
        # A part of the run with two ranks, the rest with four.
        ranks(2, *flags, "--max_steps=29", "--schedule-updates=54", "--checkpoint-dir", f"{at}/resumed")
        ranks(4, *flags, "--checkpoint-dir", f"{at}/resumed", "--metrics", f"{at}-resumed")
        check(metrics(f"{at}-resumed")[0]["step"] == 29, "resumed")
        check(newest(f"{at}/resumed").read_bytes() == expected, f"{kind}: resumed, other bytes")
        print(f"{kind}: accuracy {lines[-1]['accuracy']}; 1, 2, 4, 8 ranks, 3 threads, resumed: the same bytes")
    done = trainer(*flags, "--checkpoint-dir", f"{at}/alone", "--momentum=0.5", expect=1)
    check("its optimizer is sgd, momentum 0.800000012, Nesterov's, this run's is sgd, momentum 0.5, Nesterov's" in done.stderr, done.stderr)
    # With one update more, the cosine would be longer, so this is another run.
    flags = KINDS["mlp, sgd, cosine"] + ["--batch-size=36", "--data", data, "--checkpoint-dir", f"{folder}/mlp, sgd, cosine/alone"]
    done = trainer(*flags, "--max_steps=62", expect=1)
    check("its schedule is cosine over 54 updates, warm-up 5" in done.stderr, done.stderr)
    trainer(*flags, "--max_steps=62", "--schedule-updates=54")
    write(data, packed=False)
    trainer("--data", data, "--max_steps=2")
