"""The main thread waits for the end of another thread, which waits for a lock that the main thread holds."""
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
