"""Two threads that move money between two accounts, in opposite directions."""
import threading


class Account:
    def __init__(self):
        self.lock = threading.RLock()

    def move_to(self, other, both):
        with self.lock:
            both.wait()
            other.take(self)

    def take(self, other):
        with self.lock: self.owner = other


both, here, there = threading.Barrier(2), Account(), Account()
threading.Thread(target=here.move_to, args=(there, both), name="first").start()
threading.Thread(target=there.move_to, args=(here, both), name="second").start()
