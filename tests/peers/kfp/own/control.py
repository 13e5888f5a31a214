"""Loops, conditions, exit handlers, retries, order, nested pipelines."""
from typing import List, NamedTuple

from kfp import dsl
from own.case import add, component, echo, numbers, run, total


@component
def list_of(a: str, b: str = "", c: str = "") -> List[str]:
    return [word for word in (a, b, c) if word]


@component
def join_texts(texts: List[str]) -> str:
    return "|".join(texts)


@component
def label(who: str, age: str, tags: str) -> str:
    return f"{who}{age}{tags}"


PEOPLE = [{"who": "a", "age": "1", "tags": "x y"}, {"who": "b", "age": "2", "tags": ""}, {"who": "ä", "age": "3", "tags": "'z'"}]


@run(join_texts={"Output": "a1x y|b2|ä3'z'"})
@dsl.pipeline
def loop_over_dicts():
    with dsl.ParallelFor(PEOPLE) as item:
        made = label(who=item.who, age=item.age, tags=item.tags)
    join_texts(texts=dsl.Collected(made.output))


@run(total={"Output": 36}, total_2={"Output": 10})
@run({"n": "0"}, total={"Output": 0}, total_2={"Output": 0})
@dsl.pipeline
def loop_over_output(n: int = 4):
    found = numbers(n=n)
    with dsl.ParallelFor(found.output, parallelism=1) as item:
        made = add(a=item, b=item)
        more = add(a=made.output, b=n)
    total(numbers=dsl.Collected(more.output))
    total(numbers=found.output)


@component
def flatten(lists: List[List[int]]) -> str:
    return str(lists)


@run(flatten={"Output": "[[11, 21], [12, 22], [13, 23]]"})
@dsl.pipeline
def loop_in_loop():
    with dsl.ParallelFor([1, 2, 3]) as small:
        with dsl.ParallelFor([10, 20]) as large:
            sums = add(a=small, b=large)
    flatten(lists=dsl.Collected(sums.output))


@run(echo={"Output": "big"}, echo_2="skipped", echo_3="skipped", echo_4="skipped", echo_5={"Output": "not 3"})
@run({"n": "3"}, echo="skipped", echo_2={"Output": "three"}, echo_3="skipped", echo_4={"Output": "f"}, echo_5="skipped")
@run({"n": "-5", "f": "0.25", "s": "no"}, echo="skipped", echo_2="skipped", echo_3={"Output": "small and no"}, echo_4="skipped")
@dsl.pipeline
def comparisons(n: int = 8, f: float = 0.5, s: str = "yes"):
    sum_of = add(a=n, b=1)
    with dsl.If(sum_of.output >= 9):
        echo(text="big")
    with dsl.If(n == 3):
        echo(text="three")
    with dsl.If(n < 0):
        with dsl.If(s != "yes"):
            echo(text="small and no")
    with dsl.If(f > 0.25):
        with dsl.If(sum_of.output <= 4):
            echo(text="f")
    with dsl.If(n != 3):
        echo(text="not 3")


@dsl.pipeline
def grade(points: int) -> str:
    with dsl.If(points >= 90):
        first = echo(text="A")
    with dsl.Elif(points >= 50):
        second = echo(text="B")
    with dsl.Else():
        third = echo(text="C")
    return dsl.OneOf(first.output, second.output, third.output)


@run(
    **{f"grade_{step}": "skipped" for step in ("echo_2", "echo_3", "2_echo", "2_echo_3", "3_echo", "3_echo_2")},
    join_texts={"Output": "A|B|C"},
)
@dsl.pipeline
def branches_of_pipelines():
    results = [grade(points=points).output for points in (95, 50, 3)]
    join_texts(texts=list_of(a=results[0], b=results[1], c=results[2]).output)


@component
def is_even(n: int) -> bool:
    return n % 2 == 0


@component
def note(n: int, kind: str) -> str:
    return f"{kind} {n}"


@run(
    for_loop_2_0_note="skipped",
    for_loop_2_0_note_2={"Output": "odd 1"},
    for_loop_2_1_note={"Output": "even 2"},
    for_loop_2_1_note_2="skipped",
)
@dsl.pipeline
def condition_in_loop():
    with dsl.ParallelFor([1, 2]) as n:
        even = is_even(n=n)
        with dsl.If(even.output == True):  # noqa: E712 (a condition of kfp)
            note(n=n, kind="even")
        with dsl.Else():
            note(n=n, kind="odd")


@run(for_loop_2_0_echo="skipped", for_loop_2_1_echo="skipped")
@run({"go": "true"}, for_loop_2_0_echo={"Output": "x"}, for_loop_2_1_echo={"Output": "y"})
@dsl.pipeline
def loop_in_condition(go: bool = False):
    items = list_of(a="x", b="y")
    with dsl.If(go == True):  # noqa: E712
        with dsl.ParallelFor(items.output) as item:
            echo(text=item)


@component
def fail(message: str) -> str:
    raise ValueError(message)


@component
def report(status: dsl.PipelineTaskFinalStatus, who: str) -> str:
    return f"{who}: {status.pipeline_task_name} {status.state} {bool(status.error_message)}"


@run(report={"Output": "ana: exit-handler-1 SUCCEEDED False"}, total={"Output": 6})
@dsl.pipeline
def exit_after_loop(who: str = "ana"):
    with dsl.ExitHandler(report(who=who)):
        with dsl.ParallelFor([1, 2, 3]) as n:
            made = add(a=n, b=0)
        total(numbers=dsl.Collected(made.output))


@run(code=3, report={"Output": "ben: exit-handler-1 FAILED True"}, fail="failed", echo="waiting")
@dsl.pipeline
def exit_after_failure():
    with dsl.ExitHandler(report(who="ben")):
        failed = fail(message="on purpose")
        echo(text=failed.output)


@run(fail="failed", echo={"Output": "anyway"}, echo_2="skipped", echo_3={"Output": "at the end"})
@dsl.pipeline
def failure_of_one_task():
    failed = fail(message="on purpose")
    anyway = echo(text="anyway").after(failed).ignore_upstream_failure()
    echo(text="never").after(failed)
    echo(text="at the end").after(anyway)


@component
def now() -> float:
    import time

    return time.time()


@component
def is_sorted(a: float, b: float, c: float) -> bool:
    return a < b < c


@run(is_sorted={"Output": True})
@dsl.pipeline
def order():
    last = now().set_caching_options(False)
    middle = now().set_caching_options(False)
    first = now().set_caching_options(False)
    last.after(middle, first)
    middle.after(first)
    is_sorted(a=first.output, b=middle.output, c=last.output)


@dsl.pipeline
def sum_and_list(n: int, plus: int = 100) -> NamedTuple("Made", [("sum", int), ("all", List[int])]):
    found = numbers(n=n)
    outputs = NamedTuple("Made", [("sum", int), ("all", List[int])])
    return outputs(add(a=total(numbers=found.output).output, b=plus).output, found.output)


@dsl.pipeline
def sum_of_sums(n: int) -> int:
    inside = sum_and_list(n=n, plus=1)
    return sum_and_list(n=inside.outputs["sum"], plus=0).outputs["sum"]


@run(total={"Output": 6}, add={"Output": 21 + 106 + 10}, echo={"Output": "a sum of 106"})
@dsl.pipeline
def pipelines_in_pipelines():
    made = sum_and_list(n=3)
    total(numbers=made.outputs["all"])
    second = sum_and_list(n=6, plus=made.outputs["sum"])
    add(a=second.outputs["sum"], b=sum_of_sums(n=2).output)
    echo(text=f"a sum of {made.outputs['sum']}")


@dsl.pipeline
def doubled(items: List[int]) -> List[int]:
    with dsl.ParallelFor(items) as item:
        made = add(a=item, b=item)
    return dsl.Collected(made.output)


@run(total={"Output": 24}, flatten={"Output": "[[2, 4], [6]]"})
@dsl.pipeline
def loop_of_pipelines():
    total(numbers=doubled(items=doubled(items=[1, 2, 3]).output).output)
    with dsl.ParallelFor([[1, 2], [3]]) as items:
        made = doubled(items=items)
    flatten(lists=dsl.Collected(made.output))


@component
def gather(n0: int, n1: int, n2: int, n3: int, n4: int, n5: int, n6: int, n7: int) -> List[int]:
    return [n0, n1, n2, n3, n4, n5, n6, n7]


@run(total={"Output": 36 + 8})
@dsl.pipeline
def fan_in():
    sums = [add(a=n, b=1) for n in range(1, 9)]
    total(numbers=gather(**{f"n{i}": task.output for i, task in enumerate(sums)}).output)
