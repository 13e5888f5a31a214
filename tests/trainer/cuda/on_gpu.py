"""Called by tests/trainer/gpu: MNIST on a GPU gives the CPU's results with fast and with plain kernels, ends with the
same bits for any number of ranks and after any resume, and the precisions of the tensor cores end nearly as well."""

import pathlib
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "run"))
from support import accuracies, check, metrics, newest, ranks, tensors, trainer


def losses(path):
    return np.array([line["loss"] for line in metrics(path) if line["event"] == "update"])


with tempfile.TemporaryDirectory() as work:
    work = pathlib.Path(work)
    # Sums in another order change one of an mlp's 392,000 weights by 1.5e-5 in these steps.
    for model, steps, most in (("mlp", 55, 1e-4), ("cnn", 23, 1e-3)):
        common = ["--model", model, "--max_steps", steps]

        def run(name, *flags):
            trainer(*common, *flags, "--checkpoint-dir", work / name, "--metrics", work / f"{name}.jsonl")
            return tensors(newest(work / name))[0], losses(work / f"{name}.jsonl")

        cpu, slow = run(f"{model}-cpu", "--device", "cpu")
        gpu, fast = run(f"{model}-gpu", "--device", "cuda")
        print(f"{model}: losses differ from the CPU's by {np.abs(fast / slow - 1).max():.2g} of them at most, weights by "
              f"{max(np.abs(cpu[name] - gpu[name]).max() for name in cpu):.2g}")
        check(np.abs(fast / slow - 1).max() < most, "losses")
        check(all(np.abs(cpu[name] - gpu[name]).max() < 1e-4 for name in cpu), "weights")
        plain, same = run(f"{model}-plain", "--device", "cuda", "--kernels", "plain")
        print(f"{model}: losses differ from the plain kernels' by {np.abs(fast / same - 1).max():.2g} of them at most")
        check(np.abs(fast / same - 1).max() < most and all(np.abs(plain[name] - gpu[name]).max() < 1e-4 for name in gpu), "plain kernels")
        for precision, least in (("tf32", 1e-2), ("bf16", 5e-2)):
            _, rounded = run(f"{model}-{precision}", "--device", "cuda", "--precision", precision)
            print(f"{model}: losses with {precision} differ from fp32's by {np.abs(rounded / fast - 1).max():.2g} of them at most")
            check(np.abs(rounded / fast - 1).max() < least, precision)
            _, plainly = run(f"{model}-{precision}-plain", "--device", "cuda", "--precision", precision, "--kernels", "plain")
            check(np.abs(rounded / plainly - 1).max() < least, f"plain kernels, {precision}")
            again, _ = run(f"{model}-{precision}-again", "--device", "cuda", "--precision", precision)
            check(all(np.array_equal(array, again[name]) for name, array in tensors(newest(work / f"{model}-{precision}"))[0].items()),
                  f"{precision} gives other bits each time")
        for world in (2, 4, 8):
            ranks(world, *common, "--device", "cuda", "--communicator", "tcp", "--checkpoint-dir", work / f"{model}-{world}")
            shared, _ = tensors(newest(work / f"{model}-{world}"))
            check(all(np.array_equal(array, shared[name]) for name, array in gpu.items()), f"{model}: other bits with {world} ranks")
        parts = work / f"{model}-parts"
        trainer("--model", model, "--max_steps", 14, "--device", "cuda", "--checkpoint-dir", parts)
        trainer(*common, "--device", "cuda", "--checkpoint-dir", parts)
        check(all(np.array_equal(array, gpu[name]) for name, array in tensors(newest(parts))[0].items()), f"{model}: other bits when resumed")
    whole = accuracies(trainer("--device", "cuda", "--max_steps", 500).stdout)
    check(0.945 < whole[490] < 0.965, whole)
