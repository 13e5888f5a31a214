"""Records what Optuna's PedAnovaImportanceEvaluator answers: importance.py > importance.json (optuna 5.0.0)."""

import json
import math
import random

import optuna
from optuna.distributions import CategoricalDistribution as Categories, FloatDistribution as Float, IntDistribution as Int

SPACE = {
    "lr": Float(1e-5, 1, log=True), "momentum": Float(0, 1), "drop": Float(0, 0.5, step=0.1), "layers": Int(1, 8),
    "hidden": Int(4, 512, log=True), "warmup": Int(0, 1000, step=10), "optimizer": Categories(["sgd", "adam", "lion"]),
    "beta": Float(0.8, 1)  # where the optimizer is not sgd
}


def draw(source):
    lr, hidden = 10**source.uniform(-5, 0), round(2**source.uniform(2, 9))
    params = {"lr": lr, "momentum": source.random(), "drop": source.randint(0, 5) / 10, "layers": source.randint(1, 8),
              "hidden": hidden, "warmup": 10 * source.randint(0, 100), "optimizer": source.choice(["sgd", "adam", "lion"])}
    if params["optimizer"] != "sgd":
        params["beta"] = source.uniform(0.8, 1)
    return {key: float(f"{value:.4g}") if isinstance(value, float) else value for key, value in params.items()}


def value(params):
    return ((math.log10(params["lr"]) + 2)**2 + 0.3 * abs(params["layers"] - 5) + params["drop"] +
            0.5 * (params["optimizer"] == "lion") + 5 * abs(params.get("beta", 0.9) - 0.95) + 0.2 * math.log(params["hidden"]))


def case(trials, seed):
    source = random.Random(seed)
    study = optuna.create_study()
    rows = []
    for _ in range(trials):
        params = draw(source)
        rows.append([params, round(value(params), 4)])
        study.add_trial(optuna.trial.create_trial(params=params, distributions={key: SPACE[key] for key in params}, value=rows[-1][1]))
    shares = optuna.importance.get_param_importances(study, evaluator=optuna.importance.PedAnovaImportanceEvaluator())
    return {"trials": rows, "importance": {key: float(f"{share:.12g}") for key, share in shares.items()}}


optuna.logging.set_verbosity(optuna.logging.ERROR)
print(json.dumps([case(40, 1), case(150, 2)]).replace("[{", "\n[{"))
