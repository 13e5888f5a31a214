"""2, 3, 4, 5 and 8 ranks give the bytes of one process. Each rank does its share, and sends only what the sum needs."""

import tempfile

from support import STEPS, accuracies, check, metrics, newest, ranks, trainer

STEPS = STEPS // 4
FLAGS = ["--max_steps", STEPS, "--seed", 8, "--checkpoint-every", 0]
PARAMETERS, BATCH, IMAGES, REPORT = 784 * 500 + 500 + 500 * 10 + 10, 100, 10000, 32
UPDATES, EVALUATIONS = STEPS - -(-STEPS // 10), -(-STEPS // 10) + 1  # one more evaluation at the end


def slices(world):
    units = -(-PARAMETERS // 64)
    bounds = [min(units * rank // world * 64, PARAMETERS) for rank in range(world + 1)]
    return [last - first for first, last in zip(bounds, bounds[1:])]


def subtrees(rank, world):
    """The number of sums that a rank computes: its shards consist of that many aligned blocks of 1, 2, 4 or 8."""
    first, last, count = 8 * rank // world, 8 * (rank + 1) // world, 0
    while first < last:
        size = next(size for size in (8, 4, 2, 1) if first % size == 0 and first + size <= last)
        first, count = first + size, count + 1
    return count


with tempfile.TemporaryDirectory() as folder:
    alone = trainer(*FLAGS, "--checkpoint-dir", f"{folder}/1", "--metrics", f"{folder}/metrics-1").stdout
    weights = newest(f"{folder}/1").read_bytes()
    losses = [line["loss"] for line in metrics(f"{folder}/metrics-1") if line["event"] == "update"]
    for world in (2, 3, 4, 5, 8):
        out, _ = ranks(world, *FLAGS, "--checkpoint-dir", f"{folder}/{world}", "--metrics", f"{folder}/metrics-{world}")
        check(accuracies(out) == accuracies(alone), f"{world} ranks: other accuracies: {out}")
        check(newest(f"{folder}/{world}").read_bytes() == weights, f"{world} ranks: the weights differ")
        lines = metrics(f"{folder}/metrics-{world}")
        check([line["loss"] for line in lines if line["event"] == "update"] == losses, f"{world} ranks: other losses")

        shares = lines[-1]["ranks"]
        check(len(shares) == world, str(shares))
        for field, whole, unit in (("examples", UPDATES * BATCH, UPDATES * 13), ("parameters", UPDATES * PARAMETERS, UPDATES * 64),
                                   ("images", EVALUATIONS * IMAGES, EVALUATIONS * 100)):
            counts = [share[field] for share in shares]
            check(sum(counts) == whole, f"{world} ranks: {field} {counts}, together {sum(counts)}, not {whole}")
            check(max(counts) - min(counts) <= unit, f"{world} ranks: shares of {field} differ much: {counts}")
        sizes = slices(world)
        for rank, share in enumerate(shares):
            sums = subtrees(rank, world) * (PARAMETERS - sizes[rank])  # to each other rank, its slice of each sum
            expected = UPDATES * 4 * (sums + (world - 1) * sizes[rank])  # and the new parameters, to all
            check(share["update_bytes_sent"] == expected, f"rank {rank} of {world} sent {share}, expected {expected}")
        check(sum(share["bytes_sent"] for share in shares) == sum(share["bytes_received"] for share in shares), str(shares))
        print(f"{world} ranks: the same bytes; {shares[0]['update_bytes_sent'] / UPDATES / 1e6:.2f} MB an update from rank 0")

    # The ring gives other last bits, but the same network.
    out, _ = ranks(3, *FLAGS, "--fast", "--metrics", f"{folder}/fast")
    shares = metrics(f"{folder}/fast")[-1]["ranks"]
    ring = sum(share["update_bytes_sent"] for share in shares)
    check(ring == UPDATES * 4 * 2 * 2 * PARAMETERS, f"the ring sent {ring}")  # 2 (N - 1) times all parameters
    for step, accuracy in accuracies(out).items():
        check(abs(accuracy - accuracies(alone)[step]) < 0.01, f"--fast: {accuracy} at step {step}")
