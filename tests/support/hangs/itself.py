"""A thread that waits for a lock that it holds itself."""
import threading


class Box:
    def __init__(self):
        self.lock = threading.Lock()

    def put(self):
        with self.lock:
            self.log()

    def log(self):
        with self.lock:
            print("never")


Box().put()
