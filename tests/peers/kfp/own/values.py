"""Parameters: types, defaults, odd values, several outputs, placeholders."""
from typing import Dict, List, NamedTuple, Optional

from kfp import dsl
from own.case import add, component, echo, run


@component
def describe(i: int = -1, f: float = 2.5, s: str = "a b", b: bool = True, l: list = [1, "x", False], d: dict = {"k": [1]}) -> str:
    return " ".join(f"{type(value).__name__}={value!r}" for value in (i, f, s, b, l, d))


@run(describe={"Output": "int=-1 float=2.5 str='a b' bool=True list=[1, 'x', False] dict={'k': [1]}"})
@dsl.pipeline
def component_defaults():
    describe()


@run(describe={"Output": "int=0 float=1.0 str='' bool=False list=[] dict={}"})
@run(
    {"i": "9007199254740993", "f": "1e-7", "s": "-1", "b": "true", "l": "[[], [1.5]]", "d": '{"a": {"b": null}}'},
    describe={"Output": "int=9007199254740993 float=1e-07 str='-1' bool=True list=[[], [1.5]] dict={'a': {'b': None}}"},
)
@dsl.pipeline
def pipeline_defaults(i: int = 0, f: float = 1, s: str = "", b: bool = False, l: list = [], d: dict = {}):
    describe(i=i, f=f, s=s, b=b, l=l, d=d)


LINES = "one\n  two\n\n# three: [a]\t\n"
ODD = "it's \"quoted\" \\ and; $HOME $(true) `x` ${a} $$ {{b}} äß 漢字 %s 'n'"


@run(echo={"Output": ODD}, echo_2={"Output": ODD}, echo_3={"Output": " 1.0 "}, echo_4={"Output": "true"}, echo_5={"Output": LINES})
@run({"text": "other"}, echo={"Output": "other"}, echo_2={"Output": "other"})
@dsl.pipeline
def odd_texts(text: str = ODD):
    first = echo(text=text)
    echo(text=first.output)
    echo(text=" 1.0 ")
    echo(text="true")
    echo(text=LINES)


@component
def show(commit: str = "1234e56", items: list = ["1e3", "0o17", "y", "08", "1_000"], counts: dict = {"1e3": "0x1F", "no": "on"}) -> str:
    return f"{commit!r} {items!r} {sorted(counts.items())!r}"


NUMBERS_AS_TEXTS = "'1234e56' ['1e3', '0o17', 'y', '08', '1_000'] [('1e3', '0x1F'), ('no', 'on')]"


@run(show={"Output": NUMBERS_AS_TEXTS}, show_2={"Output": NUMBERS_AS_TEXTS}, echo={"Output": "is 1e3"}, echo_2="skipped")
@run({"x": "1000", "commit": "1e3"}, show={"Output": NUMBERS_AS_TEXTS}, show_2={"Output": NUMBERS_AS_TEXTS.replace("1234e56", "1e3")}, echo="skipped", echo_2={"Output": "08"})
@dsl.pipeline
def texts_like_numbers(x: str = "1e3", commit: str = "1234e56"):
    show()
    show(commit=commit)
    with dsl.If(x == "1e3"):
        echo(text=f"is {x}")
    with dsl.Else():
        echo(text="08")


@component
def scale(x: float, by: float) -> float:
    return x * by


@run(scale={"Output": -3.0}, scale_2={"Output": -1.5e300}, scale_3={"Output": 0.30000000000000004})
@dsl.pipeline
def doubles():
    first = scale(x=-1.5, by=2.0)
    scale(x=first.output, by=5e299)
    scale(x=0.1, by=3.0)


@component
def maybe(a: Optional[str] = None, b: Optional[int] = 4, c: Optional[dict] = None) -> str:
    return f"{a!r} {b!r} {c!r}"


@run(maybe={"Output": "None 4 None"}, maybe_2={"Output": "'x' 5 {'y': 1}"}, maybe_3={"Output": "None 4 None"})
@run({"given": "z"}, maybe_3={"Output": "'z' 4 None"})
@dsl.pipeline
def optional_inputs(given: Optional[str] = None):
    maybe()
    maybe(a="x", b=5, c={"y": 1})
    maybe(a=given)


@component
def split(text: str) -> NamedTuple("Parts", [("head", str), ("size", int), ("letters", List[str]), ("counts", Dict[str, int])]):
    from collections import namedtuple

    counts = {letter: text.count(letter) for letter in text}
    return namedtuple("Parts", "head size letters counts")(text[0], len(text), list(text), counts)


@component
def look(letters: List[str], counts: Dict[str, int], size: int) -> str:
    return f"{size} {''.join(reversed(letters))} {sorted(counts.items())}"


@run(split={"head": "o", "size": 3, "letters": ["o", "t", "o"], "counts": {"o": 2, "t": 1}}, look={"Output": "3 oto [('o', 2), ('t', 1)]"})
@dsl.pipeline
def several_outputs(text: str = "oto"):
    parts = split(text=text)
    look(letters=parts.outputs["letters"], counts=parts.outputs["counts"], size=parts.outputs["size"])


@run(echo={"Output": "a=3, b=7, s=x y!"}, echo_2={"Output": "a=3, b=7, s=x y! again 2.5 true"})
@dsl.pipeline
def texts_with_outputs(a: int = 3, s: str = "x y", f: float = 2.5, b: bool = True):
    sum_of = add(a=a, b=4)
    first = echo(text=f"a={a}, b={sum_of.output}, s={s}!")
    echo(text=f"{first.output} again {f} {b}")


@component
def check_names(job: str, other: str, resource: str, uuid: str, task: str, task_uuid: str, created: str) -> str:
    import datetime

    datetime.datetime.strptime(created, "%Y-%m-%dT%H:%M:%SZ")
    assert all((job, resource, uuid, task_uuid)) and "{{" not in job + resource + uuid + task_uuid
    assert other == f"job {job}", other
    return task


@run(check_names={"Output": "check-names"}, check_names_2={"Output": "a task's name"})
@dsl.pipeline
def placeholders():
    job = echo(text=f"job {dsl.PIPELINE_JOB_NAME_PLACEHOLDER}")
    for task in (dsl.PIPELINE_TASK_NAME_PLACEHOLDER, "a task's name"):
        check_names(
            job=dsl.PIPELINE_JOB_NAME_PLACEHOLDER,
            other=job.output,
            resource=dsl.PIPELINE_JOB_RESOURCE_NAME_PLACEHOLDER,
            uuid=dsl.PIPELINE_JOB_ID_PLACEHOLDER,
            task=task,
            task_uuid=dsl.PIPELINE_TASK_ID_PLACEHOLDER,
            created=dsl.PIPELINE_JOB_CREATE_TIME_UTC_PLACEHOLDER,
        )


@component
def draw() -> str:
    import uuid

    return str(uuid.uuid4())


@component
def same(a: str, b: str) -> bool:
    return a == b


@run(times=2, draw=["done", "cached"], draw_2=["done", "done"], same=[{"Output": False}, {"Output": False}])
@dsl.pipeline
def caching():
    same(a=draw().output, b=draw().set_caching_options(False).output)


@run(echo={"Output": "one"}, echo_2={"Output": "two"}, same={"Output": False})
@dsl.pipeline(name="A Pipeline's long name, with letters such as Ä, 100 % of them, and one more", description="words: of [odd] form")
def long_name():
    same(a=echo(text="one").set_display_name("One & only: first").output, b=echo(text="two").output)
