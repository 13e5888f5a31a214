"""Artifacts: classes, metadata, folders, imported ones, lists of them."""
from typing import List

from kfp import dsl
from kfp.dsl import HTML, Artifact, ClassificationMetrics, Dataset, Input, InputPath, Markdown, Metrics, Model, Output, OutputPath
from kfp.dsl import SlicedClassificationMetrics
from own.case import component, read, run, write


@component
def make_all(a: Output[Artifact], d: Output[Dataset], mo: Output[Model], h: Output[HTML], md: Output[Markdown]):
    for artifact in (a, d, mo, h, md):
        with open(artifact.path, "w") as file:
            file.write(type(artifact).__name__)
        artifact.metadata["kind"] = artifact.schema_title
    mo.framework = "none"


@component
def read_all(a: Input[Artifact], d: Input[Dataset], mo: Input[Model], h: Input[HTML], md: Input[Markdown]) -> str:
    words = []
    for artifact in (a, d, mo, h, md):
        with open(artifact.path) as file:
            words.append(f"{type(artifact).__name__} {file.read()} {artifact.metadata['kind']}")
    return "; ".join(words + [mo.framework])


@run(
    read_all={
        "Output": "Artifact Artifact system.Artifact; Dataset Dataset system.Dataset; Model Model system.Model; "
        "HTML HTML system.HTML; Markdown Markdown system.Markdown; none"
    }
)
@dsl.pipeline
def classes():
    made = make_all()
    read_all(**made.outputs)


@component
def measure(scores: Output[Metrics], curve: Output[ClassificationMetrics]):
    scores.log_metric("accuracy", 0.75)
    scores.log_metric("steps", 12)
    curve.log_confusion_matrix(["cat", "dog"], [[3, 1], [0, 4]])
    curve.log_roc_curve([0.0, 0.5, 1.0], [0.0, 0.9, 1.0], [1.0, 0.5, 0.0])


@component
def best(scores: Input[Metrics], curve: Input[ClassificationMetrics]) -> float:
    rows = curve.metadata["confusionMatrix"]["rows"]
    assert [row["row"] for row in rows] == [[3, 1], [0, 4]], rows
    assert len(curve.metadata["confidenceMetrics"]) == 3
    return scores.metadata["accuracy"] + scores.metadata["steps"]


@run(measure={"scores": {"accuracy": 0.75, "steps": 12}}, best={"Output": 12.75})
@dsl.pipeline
def measured():
    made = measure()
    best(scores=made.outputs["scores"], curve=made.outputs["curve"])


@component
def slices(sliced: Output[SlicedClassificationMetrics]):
    sliced.metadata["evaluationSlices"] = [{"slice": "left"}, {"slice": "right"}]


@component
def names_of(sliced: Input[SlicedClassificationMetrics]) -> str:
    return ",".join(each["slice"] for each in sliced.metadata["evaluationSlices"])


@run(names_of={"Output": "left,right"})
@dsl.pipeline
def sliced_metrics():
    names_of(sliced=slices().outputs["sliced"])


@component
def annotate(data: Output[Dataset]):
    with open(data.path, "w") as file:
        file.write("x")
    data.metadata.update({"text": "it's \"x\"", "list": [1, {"a": None}], "yes": True, "half": 0.5, "$k": "${v}", "nan": float("nan")})


@component
def pass_on(data: Input[Dataset], same: Output[Dataset]) -> str:
    same.uri = data.uri
    same.metadata = dict(data.metadata, more=1)
    return f"{data.metadata['text']} {data.metadata['list']} {data.metadata['yes']} {data.metadata['half']} {data.metadata['$k']}"


@component
def count(data: Input[Dataset]) -> str:
    with open(data.path) as file:
        return f"{file.read()} {data.metadata['more']} {data.metadata['half']}"


@run(pass_on={"Output": "it's \"x\" [1, {'a': None}] True 0.5 ${v}"}, count={"Output": "x 1 0.5"})
@dsl.pipeline
def metadata():
    passed = pass_on(data=annotate().outputs["data"])
    count(data=passed.outputs["same"])


@component
def make_folder(n: int, folder: Output[Model]):
    import os

    os.makedirs(os.path.join(folder.path, "deep", "er"))
    os.makedirs(os.path.join(folder.path, "empty"))
    for i in range(n):
        with open(os.path.join(folder.path, "deep", "er", f"part {i}"), "wb") as file:
            file.write(bytes([i, 0, 255]))


@component
def list_folder(folder: Input[Model]) -> List[str]:
    import os

    found = []
    for parent, folders, files in os.walk(folder.path):
        for name in folders + files:
            path = os.path.join(parent, name)
            size = f" {os.path.getsize(path)}" if name in files else "/"
            found.append(os.path.relpath(path, folder.path) + size)
    return sorted(found)


@run(list_folder={"Output": ["deep/", "deep/er/", "deep/er/part 0 3", "deep/er/part 1 3", "empty/"]})
@dsl.pipeline
def folders(n: int = 2):
    list_folder(folder=make_folder(n=n).outputs["folder"])


@component
def optional_data(data: Input[Dataset] = None) -> bool:
    return data is None


@run(optional_data={"Output": True}, optional_data_2={"Output": False})
@dsl.pipeline
def optional_artifacts():
    optional_data()
    optional_data(data=write(text="x").outputs["data"])


@component
def write_path(text: str, data: OutputPath("Dataset"), size: OutputPath(int)):
    import os

    for path, content in ((data, text), (size, str(len(text)))):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(content)


@component
def read_path(data: InputPath("Dataset"), n: int) -> str:
    with open(data) as file:
        return file.read() * n


@run(write_path={"size": 2}, read_path={"Output": "abab"})
@dsl.pipeline
def paths(text: str = "ab"):
    made = write_path(text=text)
    read_path(data=made.outputs["data"], n=made.outputs["size"])


@component
def rows(data: Input[Dataset]) -> str:
    return f"{data.metadata['rows']} {data.metadata['who']}"


@run({"source": "imported.txt"}, read={"Output": "a file\n"}, rows={"Output": "3 from ana"})
@dsl.pipeline
def imported(source: str = "none", who: str = "ana"):
    file = dsl.importer(artifact_uri=source, artifact_class=Dataset, reimport=True, metadata={"rows": 3, "who": f"from {who}"})
    read(data=file.output)
    rows(data=file.output)


@component
def join(data: Input[List[Dataset]]) -> str:
    parts = []
    for each in data:
        with open(each.path) as file:
            parts.append(f"{file.read()}:{each.metadata['length']}")
    return " ".join(parts)


@run(join={"Output": "one:3 three:5 fifteen:7"})
@dsl.pipeline
def collected_artifacts():
    with dsl.ParallelFor(["one", "three", "fifteen"]) as text:
        made = write(text=text)
    join(data=dsl.Collected(made.outputs["data"]))


@component
def copy(data: Input[Dataset], same: Output[Dataset]):
    with open(data.path) as file, open(same.path, "w") as to:
        to.write(file.read() + "+")


@dsl.pipeline
def copy_twice(data: Input[Dataset]) -> Dataset:
    once = copy(data=data)
    return copy(data=once.outputs["same"]).outputs["same"]


@run(read={"Output": "a++"}, read_2={"Output": "a++++"}, read_3={"Output": "a"})
@dsl.pipeline
def artifacts_of_pipelines():
    made = write(text="a")
    twice = copy_twice(data=made.outputs["data"])
    read(data=twice.output)
    again = copy_twice(data=twice.output)
    read(data=again.output)
    read(data=made.outputs["data"])
