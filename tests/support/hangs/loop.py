"""A loop that never ends, and prints nothing."""


def train():
    x = 1
    while True:
        x = x * 3 % 1000003
        x = x + 1


train()
