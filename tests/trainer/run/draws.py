"""A second implementation of the trainer's random numbers: initial weights, order of examples and dropout as functions
of seed and position."""

import numpy as np

MASK = 0xFFFFFFFF
INITIAL_WEIGHT, SHUFFLE, DROPOUT = 1, 2, 3


def draw(seed, purpose, index, attempt):
    """Four arrays of words: Philox4x32-10 with the counter (index, attempt, purpose) and the key `seed`."""
    index, attempt = np.broadcast_arrays(np.asarray(index, np.uint64), np.asarray(attempt, np.uint64))
    c = [index & MASK, index >> np.uint64(32), attempt, np.full(index.shape, purpose, np.uint64)]
    key = [seed & MASK, seed >> 32]
    for _ in range(10):
        p0, p1 = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        c = [(p1 >> np.uint64(32)) ^ c[1] ^ np.uint64(key[0]), p1 & MASK,
             (p0 >> np.uint64(32)) ^ c[3] ^ np.uint64(key[1]), p0 & MASK]
        key = [(key[0] + 0x9E3779B9) & MASK, (key[1] + 0xBB67AE85) & MASK]
    return c


def truncated_normal(seed, first, count):
    """With sigma 1, truncated at 2; element i has the index first + i."""
    values = np.full(count, 9.0)
    attempt = 0
    while (open_ := np.flatnonzero(abs(values) > 2)).size:
        words = draw(seed, INITIAL_WEIGHT, first + open_, attempt)
        radius = np.sqrt(-2 * np.log((words[0] + 0.5) / 2**32))
        angle = 2 * np.pi * (words[1] + 0.5) / 2**32
        cosine, sine = radius * np.cos(angle), radius * np.sin(angle)
        values[open_] = np.where(abs(cosine) > 2, sine, cosine)
        attempt += 1
    return values


def shuffled(seed, epoch, count):
    words = draw(seed, SHUFFLE, epoch, np.arange(count + 1))
    order = list(range(count))
    for left in range(count, 1, -1):
        pick = (int(words[0][left]) << 32 | int(words[1][left])) * left >> 64
        order[left - 1], order[pick] = order[pick], order[left - 1]
    return order


def dropout_mask(seed, first, count, hidden, keep):
    """0 or 1 / keep for each hidden unit (a column for each) of `count` examples, beginning with position `first`."""
    words = draw(seed, DROPOUT, np.arange(first, first + count)[:, None], np.arange((hidden + 7) // 8)[None, :])
    halves = np.stack([words[i // 2] >> np.uint64(i % 2 * 16) & np.uint64(0xFFFF) for i in range(8)], axis=-1)
    return (halves.reshape(count, -1)[:, :hidden] < round(keep * 65536)) / keep
