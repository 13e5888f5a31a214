"""Shared by the pipelines of this folder: how each declares its expected outputs, and components that many use."""
from typing import List

from kfp import dsl

IMAGE = "python:3.11"
SHELL_IMAGE = "busybox:1.36"
component = dsl.component(base_image=IMAGE)

cases = {}  # by the pipeline's function: its runs


def run(arguments=None, code=0, times=1, **expected):
    """A run of the pipeline below: its arguments, kml's exit code, and what each step must make: a dictionary from
    output to value or metadata, or the step's state. Steps that are not named must succeed. With `times`, the same run
    is made as often, and a step may have a list: what it must make each time."""

    def decorate(pipeline):
        runs = cases.setdefault(pipeline.name, (pipeline, []))[1]
        names = {name.replace("_", "-"): made for name, made in expected.items()}
        runs.insert(0, {"arguments": arguments or {}, "code": code, "times": times, "steps": names})
        return pipeline

    return decorate


@component
def echo(text: str) -> str:
    return text


@component
def add(a: int, b: int) -> int:
    return a + b


@component
def numbers(n: int) -> List[int]:
    return list(range(1, n + 1))


@component
def total(numbers: List[int]) -> int:
    return sum(numbers)


@component
def write(text: str, data: dsl.Output[dsl.Dataset]):
    with open(data.path, "w") as file:
        file.write(text)
    data.metadata["length"] = len(text)


@component
def read(data: dsl.Input[dsl.Dataset]) -> str:
    with open(data.path) as file:
        return file.read()
