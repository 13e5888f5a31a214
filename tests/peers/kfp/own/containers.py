"""Container components: commands whose words depend on the inputs, and Python's own containers."""
from typing import Dict, List, Optional

from kfp import dsl
from kfp.dsl import Artifact, Dataset, Input, Model, Output, OutputPath
from own.case import SHELL_IMAGE, component, echo, read, run, write


@dsl.container_component
def words(first: str, n: int, f: float, b: bool, l: list, d: dict, result: OutputPath(str)):
    """Writes each of its words in brackets."""
    script = 'out=$1; shift; mkdir -p "$(dirname "$out")"; printf "[%s]" "$@" >"$out"'
    command = ["sh", "-c", script, "sh", result]
    return dsl.ContainerSpec(image=SHELL_IMAGE, command=command, args=[first, n, f, b, l, d, "--", "$HOME `x` ${y}"])


@run(words={"result": '[it\'s\n"x"][3][0.5][true][[1,"a"]][{"k":[true]}][--][$HOME `x` ${y}]'})
@dsl.pipeline
def words_of_each_type():
    words(first="it's\n\"x\"", n=3, f=0.5, b=True, l=[1, "a"], d={"k": [True]})


@dsl.container_component
def conditional(result: OutputPath(str), name: Optional[str] = None, size: int = 2):
    return dsl.ContainerSpec(
        image=SHELL_IMAGE,
        command=["sh", "-c", 'out=$1; shift; mkdir -p "$(dirname "$out")"; printf "[%s]" "$@" >"$out"', "sh", result],
        args=[
            "always",
            dsl.IfPresentPlaceholder("name", then=["--name", name, dsl.ConcatPlaceholder(["size=", size, ";", name])], else_=["--nobody"]),
            dsl.ConcatPlaceholder(["<", dsl.ConcatPlaceholder([size, "x", size]), ">"]),
        ],
    )


@run(conditional={"result": "[always][--nobody][<2x2>]"}, conditional_2={"result": "[always][--name][a b][size=3;a b][<3x3>]"})
@dsl.pipeline
def concat_and_if_present():
    conditional()
    conditional(name="a b", size=3)


@dsl.container_component
def produce(
    n: int,
    size: OutputPath(int),
    items: OutputPath(List[int]),
    settings: OutputPath(Dict[str, int]),
    data: Output[Dataset],
    model: Output[Model],
):
    script = """mkdir -p "$(dirname "$2")" "$(dirname "$3")" "$(dirname "$4")" "$(dirname "$5")" "$6"
    echo "$1" >"$2"; echo "[$1, $1]" >"$3"; echo "{\\"n\\": $1}" >"$4"; printf data >"$5"; printf weights >"$6/weights" """
    return dsl.ContainerSpec(image=SHELL_IMAGE, command=["sh", "-ec", script, "sh"], args=[n, size, items, settings, data.path, model.path])


@dsl.container_component
def consume(
    data: Input[Dataset], model: Input[Model], size: int, items: List[int], settings: Dict[str, int], text: OutputPath(str)
):
    script = 'mkdir -p "$(dirname "$1")"; echo "$(cat "$2") $(cat "$3/weights") $4 $5 $6" >"$1"'
    return dsl.ContainerSpec(image=SHELL_IMAGE, command=["sh", "-ec", script, "sh"], args=[text, data.path, model.path, size, items, settings])


@component
def use(n: int, items: List[int], settings: Dict[str, int], model: Input[Model]) -> str:
    import os

    return f"{n + sum(items) + settings['n']} {os.listdir(model.path)}"


@run(
    produce={"size": 5, "items": [5, 5], "settings": {"n": 5}},
    consume={"text": 'data weights 5 [5,5] {"n":5}\n'},
    read={"Output": "data"},
    use={"Output": "20 ['weights']"},
)
@dsl.pipeline
def containers_and_python(n: int = 5):
    made = produce(n=n)
    out = made.outputs
    consume(data=out["data"], model=out["model"], size=out["size"], items=out["items"], settings=out["settings"])
    read(data=out["data"])
    use(n=out["size"], items=out["items"], settings=out["settings"], model=out["model"])


@dsl.container_component
def copy_text(data: Input[Artifact], same: Output[Artifact]):
    return dsl.ContainerSpec(image=SHELL_IMAGE, command=["sh", "-ec", 'mkdir -p "$(dirname "$1")"; cp "$0" "$1"', data.path, same.path])


@dsl.container_component
def show(data: Input[Artifact], text: OutputPath(str)):
    return dsl.ContainerSpec(image=SHELL_IMAGE, command=["sh", "-ec", 'mkdir -p "$(dirname "$1")"; cat "$0" >"$1"', data.path, text])


@run(for_loop_2_0_show={"text": "a"}, for_loop_2_1_show={"text": "b c"})
@dsl.pipeline
def containers_in_loop():
    with dsl.ParallelFor(["a", "b c"]) as text:
        made = write(text=text)
        show(data=copy_text(data=made.outputs["data"]).outputs["same"])


@dsl.container_component
def quiet():
    return dsl.ContainerSpec(image=SHELL_IMAGE, command=["sh", "-c", "true"])


@run(echo={"Output": "after"})
@dsl.pipeline
def no_outputs():
    echo(text="after").after(quiet())
