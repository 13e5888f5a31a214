"""Two forked processes that each hold the lock for which the other one waits."""
import multiprocessing


def work(first, second, both):
    with first:
        both.wait()
        print("holds one", flush=True)
        with second:
            print("never")


context = multiprocessing.get_context("fork")
a, b, both = context.Lock(), context.Lock(), context.Barrier(2)
children = [context.Process(target=work, args=locks) for locks in ((a, b, both), (b, a, both))]
for child in children:
    child.start()
for child in children:
    child.join()
