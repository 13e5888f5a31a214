"""Two threads that each hold the lock for which the other one waits, one of them by an element of a list."""
import threading

lock_a, lock_b = threading.Lock(), threading.Lock()
both = threading.Barrier(2)


def first():
    with lock_a:
        password = "secret"
        both.wait()
        with lock_b:
            print(password)


def second(locks, i):
    with locks[i]:
        both.wait()
        lock_a.acquire()


threading.Thread(target=first, name="first").start()
threading.Thread(target=second, args=([lock_a, lock_b], 1), name="second").start()
for _ in range(3):
    threading.Thread(target=threading.Event().wait).start()
print("started")
threading.Event().wait()
