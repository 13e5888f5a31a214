"""Two processes that each have locked the file for which the other one waits: files.py FOLDER."""
import fcntl
import multiprocessing
import sys


def work(first, second, both):
    with open(first, "w") as mine, open(second, "w") as other:
        fcntl.flock(mine, fcntl.LOCK_EX)
        both.wait()
        fcntl.flock(other, fcntl.LOCK_EX)


names = [f"{sys.argv[1]}/{name}.lock" for name in "ab"]
both = multiprocessing.Barrier(2)
for pair in (names, names[::-1]):
    multiprocessing.Process(target=work, args=(*pair, both)).start()
