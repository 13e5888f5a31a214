"""The main thread waits for the end of a thread, which waits for its lock."""
import threading


def work():
    while True:
        with lock:
            print("never")


lock = threading.Lock()
lock.acquire()
loader = threading.Thread(target=work, name="loader")
loader.start()
loader.join()
