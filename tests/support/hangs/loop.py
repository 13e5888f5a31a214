"""A loop that never ends, and prints nothing. It pauses, because other tests run meanwhile."""
import time


def train():
    x = 1
    while True:
        for _ in range(100_000):
            x = x * 3 % 1000003
            x = x + 1
        time.sleep(0.05)


train()
