"""The first 50 updates agree with an independent copy of the demo in NumPy: same numbers drawn, same weights."""

import tempfile

import numpy as np
from support import check, mnist, newest, tensors, trainer

SEED, BATCH, HIDDEN, KEEP, UPDATES = 3, 100, 500, 0.9, 50
MASK = 0xFFFFFFFF


def draw(purpose, index, attempt):
    """Four arrays of words: Philox4x32-10 with the counter (index, attempt, purpose) and the key SEED."""
    index, attempt = np.broadcast_arrays(np.asarray(index, np.uint64), np.asarray(attempt, np.uint64))
    c = [index & MASK, index >> np.uint64(32), attempt, np.full(index.shape, purpose, np.uint64)]
    key = [SEED & MASK, SEED >> 32]
    for _ in range(10):
        p0, p1 = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        c = [(p1 >> np.uint64(32)) ^ c[1] ^ np.uint64(key[0]), p1 & MASK,
             (p0 >> np.uint64(32)) ^ c[3] ^ np.uint64(key[1]), p0 & MASK]
        key = [(key[0] + 0x9E3779B9) & MASK, (key[1] + 0xBB67AE85) & MASK]
    return c


def truncated_normal(first, count):
    values = np.full(count, 9.0)
    attempt = 0
    while (open_ := np.flatnonzero(abs(values) > 2)).size:
        words = draw(1, first + open_, attempt)
        radius = np.sqrt(-2 * np.log((words[0] + 0.5) / 2**32))
        angle = 2 * np.pi * (words[1] + 0.5) / 2**32
        cosine, sine = radius * np.cos(angle), radius * np.sin(angle)
        values[open_] = np.where(abs(cosine) > 2, sine, cosine)
        attempt += 1
    return values * 0.1


def shuffled(epoch, count):
    words = draw(2, epoch, np.arange(count + 1))
    order = list(range(count))
    for left in range(count, 1, -1):
        pick = (int(words[0][left]) << 32 | int(words[1][left])) * left >> 64
        order[left - 1], order[pick] = order[pick], order[left - 1]
    return order


def dropout_mask(first):
    words = draw(3, np.arange(first, first + BATCH)[:, None], np.arange((HIDDEN + 7) // 8)[None, :])
    halves = np.stack([words[i // 2] >> np.uint64(i % 2 * 16) & np.uint64(0xFFFF) for i in range(8)], axis=-1)
    return (halves.reshape(BATCH, -1)[:, :HIDDEN] < round(KEEP * 65536)) / KEEP


images, labels = mnist("train")
weights = [truncated_normal(0, 784 * HIDDEN).reshape(784, HIDDEN), np.full(HIDDEN, 0.1),
           truncated_normal(784 * HIDDEN + HIDDEN, HIDDEN * 10).reshape(HIDDEN, 10), np.full(10, 0.1)]
first, second = [0 * w for w in weights], [0 * w for w in weights]
order = shuffled(0, len(labels))
for update in range(UPDATES):
    chosen = order[update * BATCH:(update + 1) * BATCH]
    x, mask = images[chosen] / 255, dropout_mask(update * BATCH)
    before = x @ weights[0] + weights[1]
    hidden = np.maximum(before, 0) * mask
    scores = np.exp(hidden @ weights[2] + weights[3])
    error = (scores / scores.sum(1, keepdims=True) - np.eye(10)[labels[chosen]]) / BATCH
    hidden_error = error @ weights[2].T * mask * (before > 0)
    for i, g in enumerate([x.T @ hidden_error, hidden_error.sum(0), hidden.T @ error, error.sum(0)]):
        first[i] = 0.9 * first[i] + 0.1 * g
        second[i] = 0.999 * second[i] + 0.001 * g * g
        step = first[i] / (1 - 0.9 ** (update + 1)) / (np.sqrt(second[i] / (1 - 0.999 ** (update + 1))) + 1e-8)
        weights[i] = weights[i] - 0.001 * step

with tempfile.TemporaryDirectory() as folder:
    trainer("--max_steps", 56, "--seed", SEED, "--checkpoint-dir", folder)  # 6 evaluations, 50 updates
    found, metadata = tensors(newest(folder))
    check(metadata["updates"] == str(UPDATES), str(metadata))
    for name, expected in zip(["hidden.weight", "hidden.bias", "output.weight", "output.bias"], weights):
        difference = abs(found[name] - expected)
        print(f"{name}: largest difference {difference.max():.1e}, median {np.median(difference):.1e}")
        check(difference.max() < 1e-4 and np.quantile(difference, 0.999) < 1e-5, name)
