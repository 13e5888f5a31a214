"""Runs one sampler on one problem of problems.py, trial after trial."""

import json
import math
import subprocess

from problems import FAILED

BUDGETS = (50, 100, 200)


def best_truths(problem, trials_of):
    """The true value of the best trial so far at each budget. `trials_of` yields (assignment, tell) for each trial."""
    best, at_best, found = math.inf, None, []
    for number, (at, tell) in enumerate(trials_of):
        value = problem.value(at, number)
        tell(value)
        if value is not FAILED and value < best:
            best, at_best = value, at
        if number + 1 in BUDGETS:
            found.append(problem.truth(at_best) if at_best is not None else math.inf)
    return found


def sweep_document(problem):
    """The problem as kml's users write it."""
    def space(parameter):
        if parameter.kind == "categorical":
            return {"list": list(parameter.choices)}
        bounds = {"min": parameter.low, "max": parameter.high} if parameter.kind == "real" else \
            {"min": int(parameter.low), "max": int(parameter.high)}
        return {**bounds, "distribution": "logUniform" if parameter.log else "uniform"}

    types = {"real": "double", "int": "int", "categorical": "categorical"}
    parameters = [{"name": p.name, "parameterType": types[p.kind], "feasibleSpace": space(p),
                   **({"condition": {"parameter": p.when[0], "values": list(p.when[1])}} if p.when else {})} for p in problem.parameters]
    container = {"name": "main", "image": "none", "command": ["true"]}
    pod = {"spec": {"restartPolicy": "Never", "containers": [container]}}
    return {"apiVersion": "kml.dev/v1", "kind": "Sweep", "metadata": {"name": "unseen"}, "spec": {
        "objective": {"type": "minimize", "objectiveMetricName": "value"}, "parameters": parameters,
        "trialTemplate": {"trialSpec": {"apiVersion": "batch/v1", "kind": "Job", "spec": {"template": pod}}}}}


def kml(problem, seed, program, sampler="auto"):
    """Proposals of kml-sweep-bench."""
    with subprocess.Popen([program, "converse", sampler, str(BUDGETS[-1]), str(seed)], text=True,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        def tell(value):
            print("failed" if value is FAILED else repr(float(value)), file=process.stdin, flush=True)

        def trials():
            print(json.dumps(sweep_document(problem)), file=process.stdin, flush=True)
            for line in process.stdout:
                yield json.loads(line), tell

        found = best_truths(problem, trials())
    if process.returncode != 0:
        raise SystemExit(f"kml-sweep-bench ended with {process.returncode} on {problem.name}")
    return found


def optuna(problem, seed, sampler):
    """A sampler of Optuna: the name of its class."""
    import optuna as library
    import warnings
    warnings.simplefilter("ignore")
    library.logging.set_verbosity(library.logging.ERROR)
    study = library.create_study(sampler=getattr(library.samplers, sampler)(seed=seed))

    def ask():
        trial, at = study.ask(), {}
        for p in problem.parameters:
            if p.when and at.get(p.when[0]) not in p.when[1]:
                continue
            at[p.name] = {"real": lambda: trial.suggest_float(p.name, p.low, p.high, log=p.log),
                          "int": lambda: trial.suggest_int(p.name, int(p.low), int(p.high), log=p.log),
                          "categorical": lambda: trial.suggest_categorical(p.name, p.choices)}[p.kind]()
        def tell(value):
            if value is FAILED:
                study.tell(trial, state=library.trial.TrialState.FAIL)
            else:
                study.tell(trial, value)
        return at, tell

    return best_truths(problem, (ask() for _ in range(BUDGETS[-1])))
