#!/usr/bin/env python3
"""Ranks with emulated GPUs, linked by an emulated NCCL, give the bits of one rank. Also tests that NCCL is
missing, refuses or hangs, and that a rank is killed, even while ncclCommAbort hangs."""

import os
import pathlib
import signal
import sys
import tempfile
import time

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "run"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import support
from small_data import write_data
from support import Ranks, check, metrics, newest, tensors, trainer

LIBRARY = os.environ["NCCL"]
SURVIVE = 30  # seconds; they take 5 on an idle machine


def ranks(world, *flags, expect=0, **more):
    support.env.update(more)
    try:
        codes, out, err = Ranks(world, *flags).wait()
    finally:
        for name in more:
            del support.env[name]
    check(codes == [expect] * world, f"exit statuses {codes}, expected {expect}\n{out}{err}")
    return out, err


with tempfile.TemporaryDirectory() as work:
    work = pathlib.Path(work)
    data = write_data(work / "data")
    common = ["--hidden", 40, "--batch-size", 24, "--max_steps", 31, "--device", "cuda", "--data", data]
    found = {"LD_LIBRARY_PATH": LIBRARY}

    # Checks that the results have the same bits as with one rank, and that the ranks did no more work and
    # sent no more bytes than the algorithm needs.
    trainer(*common, "--checkpoint-dir", work / "alone")
    alone, _ = tensors(newest(work / "alone"))
    parameters = sum(array.size for name, array in alone.items() if "." in name and "adam" not in name)
    for world in (2, 3, 4):
        folder, lines, count = work / f"by-{world}", work / f"by-{world}.jsonl", work / f"by-{world}.count"
        _, err = ranks(world, *common, "--communicator", "nccl", "--checkpoint-dir", folder, "--metrics", lines,
                       EMULATED_NCCL_COUNT=str(count), **found)
        exchanges = [27 if world == 2 else 2 * 27] * world  # for 27 updates
        check([*map(int, count.read_text().split())] == exchanges, count.read_text())
        check("by NCCL 22703" in err and "NCCL does not" not in err, err)
        for name, array in tensors(newest(folder))[0].items():
            check(np.array_equal(array, alone[name]), f"{name} differs with {world} ranks")
        end = metrics(lines)[-1]
        check(sum(rank["examples"] for rank in end["ranks"]) == 27 * 24, end)
        if world in (2, 4):  # the number for a ring
            sent = sum(rank["update_bytes_sent"] for rank in end["ranks"])
            check(sent == 27 * 2 * (world - 1) * parameters * 4, f"{sent} bytes of {parameters} parameters")
    ranks(3, *common, "--communicator", "nccl", "--fast", EMULATED_NCCL_COUNT=str(work / "fast"), **found)
    check((work / "fast").read_text().split() == ["27"] * 3, (work / "fast").read_text())

    # Since NCCL 2.30, ranks can share a GPU.
    ranks(2, *common, "--checkpoint-dir", work / "shared", "--communicator", "nccl", EMULATED_SHARED_GPU="1", NCCL_MULTI_RANK_GPU_ENABLE="1", **found)
    for name, array in tensors(newest(work / "shared"))[0].items():
        check(np.array_equal(array, alone[name]), f"{name} differs on a shared GPU")

    # A loss that is not finite ends all ranks.
    for world, fast in ((2, []), (3, []), (3, ["--fast"])):
        _, err = ranks(world, *common, "--communicator", "nccl", "--learning_rate", "1e30", *fast, expect=1, **found)
        check(err.count("the loss is not finite at step") == world, err)

    # If NCCL is not available, there is a note, or the trainer ends in time and says what happened, why, and how to
    # continue.
    for world, reason, more in ((2, "cannot load NCCL", {}), (2, "use the same GPU", {**found, "EMULATED_SHARED_GPU": "1"}),
                                (2, "ncclGetUniqueId", {**found, "FAKE_NCCL": "no_id"})):
        _, err = ranks(world, *common, **more)
        check(f"gradients are sent between the hosts, by TCP: " in err and reason in err, err)
        _, err = ranks(world, *common, "--communicator", "nccl", expect=1, **more)
        check("NCCL cannot join the ranks' GPUs" in err and reason in err and "  fix: " in err, err)
    for fault in ("join_hangs", "join_and_abort_hang"):
        _, err = ranks(2, *common, "--communicator", "nccl", "--meeting-timeout", 3, expect=1, FAKE_NCCL=fault, **found)
        check("did not connect the ranks in time" in err, err)
    _, err = ranks(2, *common, "--meeting-timeout", 3, FAKE_NCCL="join_hangs", **found)
    check("by TCP: " in err, err)

    # The GPUs hang in a sum. --stall-timeout ends all ranks, which then continue from the checkpoint, and end with the
    # bits of one rank.
    hung = ["--checkpoint-dir", work / "hung", "--checkpoint-every", 10, "--communicator", "nccl"]
    _, err = ranks(2, *common, *hung, "--stall-timeout", 2, expect=138, FAKE_NCCL="exchange_hangs", **found)
    check("NCCL has waited for the GPUs of the other ranks for 2 s (--stall-timeout)" in err, err)
    _, err = ranks(2, *common, *hung, **found)
    check("resumed at step 20" in err, err)
    for name, array in tensors(newest(work / "hung"))[0].items():
        check(np.array_equal(array, alone[name]), f"{name} differs after a hang")

    # A rank is killed while the other GPUs wait for it. All ranks end in time, and after a new start, they continue and
    # end with the same bits.
    for fault in ("none", "abort_hangs"):
        folder = work / fault
        support.env.update(found, FAKE_NCCL=fault)
        job = Ranks(3, *common[:5], 100000, *common[6:], "--communicator", "nccl", "--checkpoint-dir", folder, "--checkpoint-every", 10)
        while not (folder / "LATEST").exists():
            time.sleep(0.05)
        job.processes[1].send_signal(signal.SIGKILL)
        killed = time.monotonic()
        codes, out, err = job.wait()
        check(time.monotonic() - killed < SURVIVE and codes == [138, -9, 138], f"{codes} {err}")
        check("lost another rank" in err, err)
        for name in (*found, "FAKE_NCCL"):
            del support.env[name]
