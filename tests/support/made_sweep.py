"""Writes the journal of a sweep that never ran, with trials that end in several ways: for tests, benchmarks and the
report."""

import datetime
import json
import math
import pathlib
import random

BEGIN = datetime.datetime(2026, 11, 20, 8, 0, 0)
RUNGS = [1, 3, 9, 27]


def document(name, trials, parallel, note="python train.py"):
    def number(low, high, log=False):
        return {"min": low, "max": high, "distribution": "logUniform" if log else "uniform"}

    return {"apiVersion": "kml.dev/v1", "kind": "Sweep", "metadata": {"name": name}, "spec": {
        "objective": {"type": "maximize", "objectiveMetricName": "accuracy", "goal": 0.975},
        "algorithm": {"algorithmName": "tpe"}, "seed": 7,
        "maxTrialCount": trials, "parallelTrialCount": parallel,
        "parameters": [
            {"name": "lr", "parameterType": "double", "feasibleSpace": number(1e-5, 1e-1, log=True)},
            {"name": "layers", "parameterType": "int", "feasibleSpace": number(1, 8)},
            {"name": "batch", "parameterType": "discrete", "feasibleSpace": {"list": [16, 32, 64, 128, 256]}},
            {"name": "optimizer", "parameterType": "categorical", "feasibleSpace": {"list": ["adam", "sgd", "lion"]}},
            {"name": "momentum", "parameterType": "double", "feasibleSpace": number(0, 0.99),
             "condition": {"parameter": "optimizer", "values": ["sgd"]}}],
        "fidelity": {"metric": "epoch", "min": 1, "max": 27, "eta": 3},
        "earlyStopping": {"algorithmName": "asha"},
        "trialTemplate": {"trialSpec": {"apiVersion": "batch/v1", "kind": "Job", "spec": {"template": {"spec": {
            "restartPolicy": "Never", "containers": [{"name": "main", "image": "registry.example.com/train:7",
                                                      "command": ["sh", "-c", note + " {args}"]}]}}}}}}}


def values_of(chance, centre):
    values = {"lr": min(1e-1, max(1e-5, 10 ** chance.gauss(*centre))), "layers": chance.randint(1, 8),
              "batch": chance.choice([16, 32, 64, 128, 256]), "optimizer": chance.choice(["adam", "adam", "sgd", "lion"])}
    if values["optimizer"] == "sgd":
        values["momentum"] = chance.uniform(0, 0.99)
    return values


def quality(values):
    lost = 0.035 * (math.log10(values["lr"]) + 3) ** 2 + 0.004 * (values["layers"] - 5) ** 2
    lost += {"adam": 0.0, "sgd": 0.03 + 0.05 * (values.get("momentum", 0.9) - 0.9) ** 2, "lion": 0.05}[values["optimizer"]]
    return max(0.1, 0.972 - lost)


def write(folder, trials, parallel=8, seed=1, name=None, cause="exit code 1", note="python train.py", end=True):
    """`cause` is the cause of failed trials, `note` the beginning of each trial's command."""
    chance = random.Random(seed)
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True)
    records = []

    def add(seconds, kind, **fields):
        time = (BEGIN + datetime.timedelta(seconds=seconds)).isoformat(timespec="microseconds") + "Z"
        records.append((seconds, {"record": kind, "time": time, **fields}))

    name = name or folder.name
    add(0, "sweep", id="made", version=1, document=document(name, trials, parallel, note),
        target={"context": "local", "namespace": "default"})
    add(0, "session", owner="nobody")
    slots = [1.0] * parallel
    for number in range(trials):
        now = min(slots)
        values = values_of(chance, (-3, max(0.35, 1.5 - 2 * number / trials)))
        job = f"{name}-t{number:05}-r0-a0"
        begin = now + chance.uniform(0.5, 2)
        add(now, "asked", trial=number, values=values)
        add(now + 0.01, "begun", trial=number, job=job, rung=0, attempt=0)
        add(begin, "running", trial=number, node=f"node{number % 3}")
        best = quality(values) + chance.gauss(0, 0.006)
        fate = chance.random()
        epochs = RUNGS[-1] if best > 0.93 or fate > 0.9 else chance.choice(RUNGS[:3])
        ended = {"gpuSeconds": epochs * 20.0, "node": f"node{number % 3}", "outcome": "complete" if epochs == 27 else "pruned"}
        if fate < 0.02:
            ended.update(outcome="diverged")
        elif fate < 0.04:
            ended.update(outcome="failed", cause=cause)
        elif fate < 0.05:
            ended.update(outcome="out of memory", cause="OOMKilled: more than 16Gi")
        else:
            ended["curve"] = [[epoch, best - 0.55 * math.exp(-epoch / 3) + chance.gauss(0, 0.003)]
                              for epoch in range(1, epochs + 1)]
            ended["value"] = ended["curve"][-1][1]
        finish = begin + epochs * chance.uniform(18, 22)
        add(finish, "ended", trial=number, **ended)
        slots[slots.index(min(slots))] = finish + 0.05
    if end:
        add(max(slots), "end", reason=f"all {trials} trials are done")
    records.sort(key=lambda record: record[0])
    with open(folder / "journal.jsonl", "w") as out:
        out.writelines(json.dumps(record) + "\n" for _, record in records)
