"""Compiles the pipelines in this file to NAME.yaml in a folder. kml run must execute them as Kubeflow does."""
import sys
from typing import Dict, List, NamedTuple, Optional

from kfp import compiler, dsl
from kfp.dsl import Artifact, Dataset, Input, Metrics, Model, Output, OutputPath

component = dsl.component(base_image="python:3.11")


@component
def types(i: int, f: float, s: str, b: bool, l: List[int], d: Dict[str, int], o: Optional[str] = None, v: int = 7) -> NamedTuple(
    "Outputs", [("i", int), ("f", float), ("s", str), ("b", bool), ("l", list), ("d", dict), ("seen", str)]
):
    from collections import namedtuple

    seen = " ".join(f"{type(value).__name__}={value}" for value in (i, f, s, b, l, d, o, v))
    return namedtuple("Outputs", "i f s b l d seen")(i + 1, f, s, not b, l + [4], d, seen)


@component
def echo(text: str) -> str:
    print(text)
    return text


@component
def double(n: int) -> int:
    return 2 * n


@component
def count_to(n: int) -> List[int]:
    return list(range(n))


@component
def total(numbers: List[int]) -> int:
    return sum(numbers)


@component
def make(rows: int, data: Output[Dataset], metrics: Output[Metrics]):
    with open(data.path, "w") as file:
        file.write("row\n" * rows)
    data.metadata["rows"] = rows
    metrics.log_metric("accuracy", 0.5)
    metrics.log_metric("loss", float("nan"))


@component
def read(data: Input[Dataset], model: OutputPath("Model")) -> str:
    import os

    with open(model, "w") as file:
        file.write("model")
    with open(data.path) as file:
        return f"{len(file.readlines())} lines, {data.metadata['rows']} rows, {os.path.isabs(data.uri)}"


@component
def fail_if(wish: bool) -> str:
    if wish:
        raise SystemExit("as you wish")
    return "fine"


@component
def cleanup(status: dsl.PipelineTaskFinalStatus) -> str:
    return f"{status.pipeline_task_name} {status.state} {'with' if status.error_message else 'without'} a message"


@component
def join_models(models: Input[List[Model]]) -> int:
    return len(models)


@dsl.container_component
def shell(name: str, count: int, result: OutputPath(str), data: Output[Artifact], greeting: Optional[str] = None):
    return dsl.ContainerSpec(
        image="busybox:1.36",
        command=["sh", "-c", 'out=$0; data=$1; shift; echo "$*" | tee "$data" > "$out"', result, data.path],
        args=[
            "--name",
            name,
            dsl.ConcatPlaceholder(["count=", count, "!"]),
            dsl.IfPresentPlaceholder("greeting", then=["--greeting", greeting], else_=["--silent"]),
        ],
    )


@dsl.container_component
def show(path: Input[Artifact], text: OutputPath(str)):
    return dsl.ContainerSpec(image="busybox:1.36", command=["sh", "-c", 'cat "$0" > "$1"', path.path, text])


@dsl.pipeline(name="Parameters of all types")
def parameters(n: int = 3, f: float = 0.5, s: str = "x", b: bool = True, items: List[int] = [1, 2], d: Dict[str, int] = {"a": 1}):
    types(i=n, f=f, s=s, b=b, l=items, d=d)
    echo(text=f"{s}-{n}")


@dsl.pipeline
def inner(rows: int) -> str:
    made = make(rows=rows)
    return read(data=made.outputs["data"]).outputs["Output"]


@dsl.pipeline(name="artifacts")
def artifacts(rows: int = 3, file: str = "/etc/hostname"):
    nested = inner(rows=rows)
    echo(text=nested.output)
    imported = dsl.importer(artifact_uri=file, artifact_class=Dataset, reimport=False, metadata={"rows": 9})
    read(data=imported.output).set_caching_options(False).set_retry(2, backoff_duration="1s").set_env_variable("A", "B ${c} $d")


@dsl.pipeline(name="conditions")
def conditions(n: int = 3, name: str = "it's"):
    doubled = double(n=n)
    with dsl.If(doubled.output > 5):
        big = echo(text="big")
    with dsl.Elif(n == 2):
        two = echo(text="two")
    with dsl.Else():
        small = echo(text="small")
    echo(text=dsl.OneOf(big.output, two.output, small.output)).set_display_name("chosen")
    named = echo(text=name)
    with dsl.If(named.output == "it's"):
        echo(text="quoted")


@dsl.pipeline(name="loops")
def loops(items: List[int] = [1, 2, 3]):
    with dsl.ParallelFor(items, parallelism=2) as item:
        doubled = double(n=item)
        with dsl.If(item == 2):
            echo(text="two")
    total(numbers=dsl.Collected(doubled.output))
    with dsl.ParallelFor([{"who": "a", "greeting": "b"}, {"who": "c", "greeting": "d"}]) as item:
        said = shell(name=item.who, count=1, greeting=item.greeting)
    with dsl.ParallelFor([1, 2]) as rows:
        made = make(rows=rows)
        model = read(data=made.outputs["data"])
    join_models(models=dsl.Collected(model.outputs["model"]))


@dsl.pipeline(name="upstream")
def upstream(n: int = 3):
    numbers = count_to(n=n)
    with dsl.ParallelFor(numbers.output, parallelism=2) as item:
        doubled = double(n=item)
        with dsl.ParallelFor(count_to(n=item).output) as inside:
            double(n=inside)
    total(numbers=dsl.Collected(doubled.output))


@dsl.pipeline(name="exits")
def exits(wish: bool = False):
    with dsl.ExitHandler(cleanup()):
        first = fail_if(wish=wish)
        echo(text=first.output)


@dsl.pipeline(name="forgiven")
def forgiven():
    failed = fail_if(wish=True)
    echo(text="never").after(failed)
    echo(text="always").after(failed).ignore_upstream_failure()


@dsl.pipeline(name="containers")
def containers():
    said = shell(name="ana", count=2)
    show(path=said.outputs["data"])
    shell(name="ben", count=3, greeting="hello")


if __name__ == "__main__":
    for pipeline in (parameters, artifacts, conditions, loops, upstream, exits, forgiven, containers):
        compiler.Compiler().compile(pipeline, f"{sys.argv[1]}/{pipeline.name.split('-of-')[0]}.yaml")
