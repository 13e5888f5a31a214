#!/usr/bin/env python3
"""The whole program on an emulated GPU: it gives the CPU's results, continues with the same bits after a stop, alone
and with other ranks, and reports if there is no GPU."""

import os
import pathlib
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "run"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import support
from small_data import write_data
from support import accuracies, check, env, metrics, newest, ranks, tensors, trainer


with tempfile.TemporaryDirectory() as work:
    work = pathlib.Path(work)
    data = write_data(work / "data")
    common = ["--hidden", 40, "--batch-size", 24, "--max_steps", 61, "--device"]

    cpu = trainer(*common, "cpu", "--checkpoint-dir", work / "cpu", data=data)
    gpu = trainer(*common, "cuda", "--checkpoint-dir", work / "gpu", "--metrics", work / "gpu.jsonl", data=data)
    check(accuracies(cpu.stdout) == accuracies(gpu.stdout), cpu.stdout + gpu.stdout)
    check("device=cuda gpu=\"NVIDIA H100 80GB HBM3 (emulated)\" precision=fp32" in gpu.stderr, gpu.stderr)
    lines = metrics(work / "gpu.jsonl")
    check(all(line["device"] == "cuda" for line in lines), lines[0])
    updates = [line["update"] for line in lines if line["event"] == "update"]
    check(updates == list(range(1, 55)), updates)
    whole, _ = tensors(newest(work / "gpu"))
    for name, array in tensors(newest(work / "cpu"))[0].items():
        check(np.abs(array - whole[name]).max() < 1e-5, name)

    # Trains with a stop and a resume, by one process and by several.
    parts = work / "parts"
    trainer(*common[:-2], 23, "--device", "cuda", "--checkpoint-dir", parts, data=data)
    ranks(2, *common[:-2], 42, "--device", "cuda", "--checkpoint-dir", parts, "--data", data)
    trainer(*common, "cuda", "--checkpoint-dir", parts, data=data)
    for name, array in tensors(newest(parts))[0].items():
        check(np.array_equal(array, whole[name]), f"{name} differs after a resume")

    # The results of the plain kernels differ in the last bits, so a run that continues with the plain kernels
    # reports this.
    plain = trainer(*common, "cuda", "--kernels", "plain", "--checkpoint-dir", parts, data=data)
    check("fp32, fast kernels" in plain.stderr, plain.stderr)

    # Checks the reported use of the GPU, both from the trainer's own arithmetic and from NVML. The emulated
    # GPU has the properties of an H100.
    (work / "libnvidia-ml.so.1").symlink_to(os.environ["FAKE_NVML"])
    watched = {**env, "LD_LIBRARY_PATH": str(work), "EMULATED_SHARED_GPU": "0000:1b:00.0"}
    for precision, teraflops in (("fp32", 66.9), ("tf32", 494.7), ("bf16", 989.4)):
        trainer("--max_steps", 3, "--hidden", 40, "--device", "cuda", "--precision", precision, "--metrics", work / precision, data=data, env=watched)
        told = next(line for line in metrics(work / precision) if line["event"] == "progress")
        check(abs(told["flops"] / told["peak_share"] / 1e12 - teraflops) < 0.1, told)
        check([told[name] for name in ("gpu_util", "gpu_memory_used", "gpu_memory_total")] == [73, 20, 80], told)

    # Without a GPU.
    without = {**env, "EMULATED_GPUS": "0"}
    refused = trainer(*common, "cuda", data=data, env=without, expect=1)
    check("no usable GPU" in refused.stderr and "  why: " in refused.stderr and "  fix: " in refused.stderr, refused.stderr)
    fallen = trainer("--max_steps", 1, "--device", "auto", data=data, env=without)
    check("training on the CPU: " in fallen.stderr and "device=cpu" in fallen.stderr, fallen.stderr)
    taken = trainer("--max_steps", 0, "--hidden", 40, "--device", "auto", data=data)
    check("device=cuda" in taken.stderr, taken.stderr)
