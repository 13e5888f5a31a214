"""The problems of tests/bench/sweep_unseen: ten classes of at least 30 (problem, seed) pairs. Frozen: nothing may be
tuned on them, and a change here makes all earlier figures void.
"""

import dataclasses
import functools
import math
import random
import warnings

FAILED = None


@dataclasses.dataclass
class Parameter:
    name: str
    kind: str  # real, int or categorical
    low: float = 0
    high: float = 1
    log: bool = False
    choices: tuple = ()
    when: tuple = ()  # the parent's name, and the values with which this parameter is active


@dataclasses.dataclass
class Problem:
    """`value` is what a trial reports, by its parameters and its number: lower is better, FAILED for a trial that
    fails. `truth` is the value without noise, by which samplers are compared."""
    name: str
    parameters: list
    value: callable
    truth: callable = None

    def __post_init__(self):
        self.truth = self.truth or (lambda at: self.value(at, 0))


# Classes 1 to 5: the groups of BBOB (Hansen et al., doi 10.1080/10556788.2020.1808977); 6: its mixed-integer suite.

def bbob(functions, dimensions, instances, suite="bbob"):
    import cocoex
    problems = []
    for function in functions:
        for dimension in dimensions:
            for instance in instances:
                made = cocoex.Suite(suite, f"instances:{instance}", f"dimensions:{dimension} function_indices:{function}")
                problem = made.get_problem(0)
                whole = problem.number_of_integer_variables
                parameters = [Parameter(f"x{i}", "int" if i < whole else "real", low, high)
                              for i, (low, high) in enumerate(zip(problem.lower_bounds, problem.upper_bounds))]
                # The suite owns the problem.
                problems.append(Problem(f"{suite}-f{function}-d{dimension}-i{instance}", parameters,
                                        lambda at, trial, problem=problem, made=made: problem(list(at.values()))))
    return problems


# Class 7: models of scikit-learn on its bundled data. A trial's split is random, like a training's seed.

SVM = [Parameter("C", "real", 1e-3, 1e3, log=True), Parameter("gamma", "real", 1e-6, 1, log=True),
       Parameter("kernel", "categorical", choices=("rbf", "poly", "sigmoid")), Parameter("shrinking", "categorical", choices=(True, False))]
TREE = [Parameter("max_depth", "int", 1, 30), Parameter("min_samples_leaf", "int", 1, 50, log=True),
        Parameter("max_features", "real", 0.05, 1), Parameter("criterion", "categorical", choices=("gini", "entropy", "log_loss"))]
BOOST = [Parameter("learning_rate", "real", 1e-3, 1, log=True), Parameter("n_estimators", "int", 5, 100, log=True),
         Parameter("max_depth", "int", 1, 8), Parameter("subsample", "real", 0.2, 1), Parameter("min_samples_leaf", "int", 1, 30)]
NET = [Parameter("learning_rate_init", "real", 1e-5, 1, log=True), Parameter("alpha", "real", 1e-7, 10, log=True),
       Parameter("hidden_layer_sizes", "int", 2, 64, log=True), Parameter("activation", "categorical", choices=("relu", "tanh", "logistic")),
       Parameter("batch_size", "int", 8, 256, log=True), Parameter("max_iter", "int", 2, 12)]
NEIGHBOURS = [Parameter("n_neighbors", "int", 1, 50, log=True), Parameter("p", "real", 1, 5),
              Parameter("weights", "categorical", choices=("uniform", "distance"))]
LINEAR = [Parameter("C", "real", 1e-5, 1e4, log=True), Parameter("l1_ratio", "real", 0, 1),
          Parameter("fit_intercept", "categorical", choices=(True, False))]
ELASTIC = [Parameter("alpha", "real", 1e-5, 1e2, log=True), Parameter("l1_ratio", "real", 0, 1), Parameter("degree", "int", 1, 2)]


def fit(model, data, at, seed):
    """The error of one training on a split that the seed chooses."""
    import sklearn.ensemble, sklearn.linear_model, sklearn.model_selection, sklearn.neighbors, sklearn.neural_network
    import sklearn.pipeline, sklearn.preprocessing, sklearn.svm, sklearn.tree
    x, y = load(data)
    train_x, test_x, train_y, test_y = sklearn.model_selection.train_test_split(x, y, test_size=0.3, random_state=seed)
    at = dict(at)
    steps = [sklearn.preprocessing.StandardScaler()]
    if model == "elastic":
        steps.append(sklearn.preprocessing.PolynomialFeatures(at.pop("degree"), include_bias=False))
    if model == "net":
        at["hidden_layer_sizes"] = (at["hidden_layer_sizes"],)
    steps.append({
        "svm": lambda: sklearn.svm.SVC(**at, max_iter=2000),
        "tree": lambda: sklearn.tree.DecisionTreeClassifier(**at, random_state=seed),
        "forest": lambda: sklearn.ensemble.RandomForestClassifier(**at, n_estimators=15, random_state=seed),
        "boost": lambda: sklearn.ensemble.GradientBoostingRegressor(**at, random_state=seed),
        "net": lambda: sklearn.neural_network.MLPClassifier(**at, random_state=seed),
        "neighbours": lambda: sklearn.neighbors.KNeighborsClassifier(**at),
        "linear": lambda: sklearn.linear_model.LogisticRegression(**at, solver="saga", max_iter=60, random_state=seed),
        "elastic": lambda: sklearn.linear_model.ElasticNet(**at, max_iter=300),
    }[model]())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return 1 - sklearn.pipeline.make_pipeline(*steps).fit(train_x, train_y).score(test_x, test_y)


@functools.cache
def load(data):
    import sklearn.datasets
    x, y = getattr(sklearn.datasets, f"load_{data}")(return_X_y=True)
    return x[:600], y[:600]


def models():
    kinds = [("svm", "digits", SVM), ("tree", "breast_cancer", TREE), ("forest", "digits", TREE), ("boost", "diabetes", BOOST),
             ("net", "digits", NET), ("neighbours", "digits", NEIGHBOURS), ("linear", "wine", LINEAR), ("elastic", "diabetes", ELASTIC)]
    return [Problem(f"{model}-{data}-s{seed}", parameters,
                    lambda at, trial, model=model, data=data, seed=seed: fit(model, data, at, 1000 * seed + trial),
                    lambda at, model=model, data=data: sum(fit(model, data, at, 10**6 + k) for k in range(10)) / 10)
            for model, data, parameters in kinds for seed in range(4)]


# Class 8: categories that interact in pairs, and steps.

def interacting(seed):
    """Fifteen parameters of four values; the value of each comes from a random table, which depends on it and two
    others."""
    source = random.Random(f"interacting-{seed}")
    others = [source.sample([k for k in range(15) if k != i], 2) for i in range(15)]
    tables = [[source.random() for _ in range(64)] for _ in range(15)]
    parameters = [Parameter(f"x{i}", "categorical", choices=("a", "b", "c", "d")) for i in range(15)]

    def value(at, trial):
        index = ["abcd".index(word) for word in at.values()]
        return sum(table[16 * index[i] + 4 * index[a] + index[b]] for i, (table, (a, b)) in enumerate(zip(tables, others)))
    return Problem(f"interacting-{seed}", parameters, value)


def stepped(seed):
    """Eight whole numbers whose turned distances from the best place count in steps."""
    source = random.Random(f"stepped-{seed}")
    best = [source.randint(1, 9) for _ in range(8)]
    turned = [[source.gauss(0, 1) for _ in range(8)] for _ in range(8)]
    parameters = [Parameter(f"x{i}", "int", 0, 10) for i in range(8)]

    def value(at, trial):
        off = [x - b for x, b in zip(at.values(), best)]
        return sum(math.floor(abs(sum(w * o for w, o in zip(row, off))) / 2) * 10**(i / 7) for i, row in enumerate(turned))
    return Problem(f"stepped-{seed}", parameters, value)


# Class 9: spaces with conditions.

def conditional(seed):
    """Three kinds of model with parameters of their own beside two shared ones; one of them has an optimizer with
    parameters of its own."""
    source = random.Random(f"conditional-{seed}")
    kinds = ("forest", "net", "linear")
    parameters = [Parameter("kind", "categorical", choices=kinds), Parameter("shared0", "real"), Parameter("shared1", "real", 1e-4, 1, log=True),
                  Parameter("optimizer", "categorical", choices=("sgd", "adam"), when=("kind", ("net",))),
                  Parameter("momentum", "real", when=("optimizer", ("sgd",))), Parameter("beta", "real", when=("optimizer", ("adam",)))]
    parameters += [Parameter(f"{kind}{i}", "int" if i == 2 else "real", 0, 16 if i == 2 else 1, when=("kind", (kind,)))
                   for kind in kinds for i in range(3)]
    best = {parameter.name: source.uniform(0.1, 0.9) for parameter in parameters}
    weight = {parameter.name: 10**source.uniform(-1, 0.7) for parameter in parameters}
    base = {word: source.uniform(0, 0.3) for word in (*kinds, "sgd", "adam")}

    def value(at, trial):
        total = 0
        for parameter in parameters:
            if parameter.name not in at:
                continue
            x = at[parameter.name]
            if parameter.kind == "categorical":
                total += base[x]
                continue
            unit = math.log(x / parameter.low) / math.log(parameter.high / parameter.low) if parameter.log else \
                (x - parameter.low) / (parameter.high - parameter.low)
            off = unit - best[parameter.name]
            total += weight[parameter.name] * (off * off + 0.02 * (1 - math.cos(12 * off)))
        return total
    return Problem(f"conditional-{seed}", parameters, value)


# Class 10: noise, and trials that fail.

def noisy(problem):
    """Noise of a tenth of the values' spread, and failure in a random tenth to third of the space."""
    source = random.Random(problem.name)
    axis = [source.gauss(0, 1) for _ in problem.parameters]
    middle = [(p.low + p.high) / 2 for p in problem.parameters]
    width = math.sqrt(sum(a * a for a in axis)) * (problem.parameters[0].high - problem.parameters[0].low) / math.sqrt(12)
    edge = source.uniform(0.5, 1.2) * width
    drawn = sorted(problem.value({p.name: source.uniform(p.low, p.high) for p in problem.parameters}, 0) for _ in range(200))
    spread = drawn[100] - drawn[10]

    def value(at, trial):
        if sum(a * (x - m) for a, x, m in zip(axis, at.values(), middle)) > edge:
            return FAILED
        return problem.value(at, 0) + 0.1 * spread * random.Random(f"{problem.name}-{trial}").gauss(0, 1)
    return Problem("noisy-" + problem.name, problem.parameters, value, problem.truth)


CLASSES = {
    "separable": lambda: bbob(range(1, 6), (2, 5, 10), (101, 102)),
    "moderate": lambda: bbob(range(6, 10), (2, 5, 10), (101, 102, 103)),
    "ill_conditioned": lambda: bbob(range(10, 15), (2, 5, 10), (101, 102)),
    "multimodal": lambda: bbob(range(15, 20), (2, 5, 10), (101, 102)),
    "weak_structure": lambda: bbob(range(20, 25), (2, 5, 10), (101, 102)),
    "mixed_integer": lambda: bbob(range(1, 25), (5,), (101,), "bbob-mixint") + bbob(range(1, 25, 2), (10,), (101,), "bbob-mixint"),
    "models": models,
    "categories_and_steps": lambda: [make(seed) for make in (interacting, stepped) for seed in range(15)],
    "conditional": lambda: [conditional(seed) for seed in range(30)],
    "noise_and_failures": lambda: [noisy(one) for one in bbob((1, 8, 10, 15, 20), (2, 5), (104, 105, 106))],
}
