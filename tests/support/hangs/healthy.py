"""A thread holds a lock while it sleeps, another waits for the lock, and one waits for a condition."""
import threading
import time

lock, condition = threading.Lock(), threading.Condition()


def sleep():
    with lock:
        time.sleep(100000)


def wait_for_lock():
    with condition:
        pass
    with lock:
        print("never")


def wait_for_condition():
    with condition:
        condition.wait()


for work in (sleep, wait_for_condition, wait_for_lock):
    threading.Thread(target=work).start()
