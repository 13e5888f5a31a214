"""Compiles the pipelines of this folder to FOLDER/NAME.yaml, and writes FOLDER/cases.json: for each of them its runs.

compile.py FOLDER
"""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from kfp import compiler

from own import artifacts, case, containers, control, pods, values  # noqa: F401 (each adds to case.cases)

folder = pathlib.Path(sys.argv[1])
runs = {}
for pipeline, of_pipeline in case.cases.values():
    name = pipeline.pipeline_func.__name__
    compiler.Compiler().compile(pipeline, str(folder / f"{name}.yaml"))
    runs[name] = of_pipeline
(folder / "cases.json").write_text(json.dumps(runs))
