"""Runs the peers on the tasks of sweep_bench.cc, with the same arguments and output, in the environment of
sweep.py.

quality PEER TASK TRIALS SEEDS PARALLEL | ask optuna DIMENSIONS TRIALS. PEER is optuna (its default sampler) or
cmaes.
"""

import json
import math
import random
import statistics
import sys
import time

SHIFT = (7.3, -11.2, 3.1, -5.7, 9.9)  # moves the optimum off the center, which some samplers try first


def branin(x, y):
    return ((y - 5.1 / (4 * math.pi**2) * x * x + 5 / math.pi * x - 6)**2 +
            10 * (1 - 1 / (8 * math.pi)) * math.cos(x) + 10)


def hartmann6(*x):
    weight = (1, 1.2, 3, 3.2)
    scale = ((10, 3, 17, 3.5, 1.7, 8), (.05, 10, 17, .1, 8, 14), (3, 3.5, 1.7, 10, 17, 8), (17, 8, .05, 10, .1, 14))
    place = ((.1312, .1696, .5569, .0124, .8283, .5886), (.2329, .4135, .8307, .3736, .1004, .9991),
             (.2348, .1451, .3522, .2883, .3047, .6650), (.4047, .8828, .8732, .5743, .1091, .0381))
    return -sum(w * math.exp(-sum(s * (v - p)**2 for s, v, p in zip(ss, x, ps)))
                for w, ss, ps in zip(weight, scale, place))


def ackley5(*x):
    x = [v - shift for v, shift in zip(x, SHIFT)]
    return (-20 * math.exp(-.2 * math.sqrt(sum(v * v for v in x) / 5)) -
            math.exp(sum(math.cos(2 * math.pi * v) for v in x) / 5) + 20 + math.e)


FUNCTIONS = {"branin": (branin, [(-5, 10), (0, 15)]), "hartmann6": (hartmann6, [(0, 1)] * 6),
             "ackley5": (ackley5, [(-32.768, 32.768)] * 5)}


def run_optuna(task, trials, seed, parallel):
    import optuna
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
    if task in FUNCTIONS:
        function, ranges = FUNCTIONS[task]
        space = {f"x{i}": optuna.distributions.FloatDistribution(*r) for i, r in enumerate(ranges)}
        value = lambda params: function(*(params[key] for key in space))
    else:
        table = json.load(open(task))
        # The parameters as users of Optuna write them: ordered numbers by their index, the rest as categories.
        choices = {p["name"]: p["choices"] for p in table["parameters"]}
        ordinal = {key: not isinstance(values[0], str) for key, values in choices.items()}
        space = {key: optuna.distributions.IntDistribution(0, len(values) - 1) if ordinal[key] else
                 optuna.distributions.CategoricalDistribution(values) for key, values in choices.items()}

        def value(params):
            place = 0
            for key, values in choices.items():
                place = place * len(values) + (params[key] if ordinal[key] else values.index(params[key]))
            return table["values"][place]

    waiting, bests = [], []
    for number in range(trials):
        waiting.append(study.ask(space))
        if len(waiting) == parallel or number == trials - 1:
            for trial in waiting[:1] if number < trials - 1 else waiting:
                study.tell(trial, value(trial.params))
                bests.append(study.best_value)
            waiting = waiting[1:]
    return bests


def run_cmaes(task, trials, seed, parallel):
    import cmaes
    import numpy
    function, ranges = FUNCTIONS[task]
    low, width = numpy.array([r[0] for r in ranges], float), numpy.array([r[1] - r[0] for r in ranges], float)
    start = numpy.full(len(ranges), 0.5)  # in the unit cube, with bounds
    optimizer = cmaes.CMA(mean=start, sigma=1 / 6, bounds=numpy.array([[0, 1]] * len(ranges)), seed=seed)
    bests = []
    while len(bests) < trials:
        generation = []
        for _ in range(optimizer.population_size):
            x = optimizer.ask()
            generation.append((x, function(*(low + x * width))))
            bests.append(min(generation[-1][1], bests[-1] if bests else math.inf))
        optimizer.tell(generation)
        if optimizer.should_stop():
            start = numpy.random.RandomState(seed + 1000 + len(bests)).uniform(size=len(ranges))
            optimizer = cmaes.CMA(mean=start, sigma=1 / 6, bounds=numpy.array([[0, 1]] * len(ranges)), seed=seed + len(bests))
    return bests[:trials]


def ask_optuna(dimensions, trials):
    """Milliseconds of processor time for a proposal, without the first one, which fills caches."""
    import optuna
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=1))
    space = {f"x{i}": optuna.distributions.FloatDistribution(-1, 1) for i in range(dimensions)}
    source = random.Random(1)
    for _ in range(trials):
        params = {key: source.uniform(-1, 1) for key in space}
        value = sum((x - 0.2)**2 for x in params.values())
        study.add_trial(optuna.trial.create_trial(params=params, distributions=space, value=value))
    took = []
    for _ in range(12):
        begin = time.process_time()
        trial = study.ask(space)
        took.append(1000 * (time.process_time() - begin))
        study.tell(trial, sum((x - 0.2)**2 for x in trial.params.values()))
    return statistics.median(took[1:])


def main():
    what, peer, *words = sys.argv[1:]
    if what == "ask":
        print(ask_optuna(*map(int, words)))
        return
    task, trials, seeds, parallel = words[0], *map(int, words[1:])
    for seed in range(seeds):
        bests = {"optuna": run_optuna, "cmaes": run_cmaes}[peer](task, trials, seed, parallel)
        print(*(f"{best:.10g}" for best in bests), flush=True)


if __name__ == "__main__":
    main()
