"""The pipeline of this folder, written for Kubeflow Pipelines: load, train, deploy.

    python3 -m venv .venv && .venv/bin/pip install kfp==2.17.3
    .venv/bin/python kfp_pipeline.py       # writes kfp_pipeline.yaml
    kml run kfp_pipeline.yaml -p trees=200

kml installs scikit-learn once, in its own virtual environment. If you run it again, all results come from the
cache.
"""
from kfp import compiler, dsl
from kfp.dsl import Dataset, Input, Metrics, Model, Output

PACKAGES = ["scikit-learn==1.6.1"]


@dsl.component(base_image="python:3.11", packages_to_install=PACKAGES)
def load(train: Output[Dataset], test: Output[Dataset]):
    import numpy
    from sklearn.datasets import load_iris
    from sklearn.model_selection import train_test_split

    features, species = load_iris(return_X_y=True)
    train_x, test_x, train_y, test_y = train_test_split(
        features, species, test_size=30, stratify=species, random_state=1
    )
    for output, x, y in ((train, train_x, train_y), (test, test_x, test_y)):
        numpy.savetxt(output.path, numpy.column_stack((x, y)), fmt="%.1f", delimiter=",")
        output.metadata["flowers"] = len(x)


@dsl.component(base_image="python:3.11", packages_to_install=PACKAGES)
def train(data: Input[Dataset], test: Input[Dataset], trees: int, model: Output[Model], metrics: Output[Metrics]) -> float:
    import pickle

    import numpy
    from sklearn.ensemble import RandomForestClassifier

    flowers, unseen = (numpy.loadtxt(each.path, delimiter=",") for each in (data, test))
    forest = RandomForestClassifier(trees, random_state=1).fit(flowers[:, :-1], flowers[:, -1])
    accuracy = float(forest.score(unseen[:, :-1], unseen[:, -1]))
    with open(model.path, "wb") as file:
        pickle.dump(forest, file)
    metrics.log_metric("accuracy", accuracy)
    return accuracy


@dsl.container_component
def deploy(model: Input[Model], folder: str):
    return dsl.ContainerSpec(
        image="busybox:1.36",
        command=["sh", "-c", 'mkdir -p "$1" && cp "$0" "$1/model.pickle"'],
        args=[model.path, folder],
    )


@dsl.pipeline(name="iris-kfp")
def iris(trees: int = 100, deploy_to: str = "/tmp/iris-model"):
    flowers = load()
    trained = train(data=flowers.outputs["train"], test=flowers.outputs["test"], trees=trees)
    with dsl.If(trained.outputs["Output"] >= 0.9, name="good-enough"):
        deploy(model=trained.outputs["model"], folder=deploy_to)


if __name__ == "__main__":
    compiler.Compiler().compile(iris, __file__.replace(".py", ".yaml"))
