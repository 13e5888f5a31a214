"""The trainer's networks and optimizers in plain NumPy and double precision, by the formulas in textbooks."""

import numpy as np
from draws import dropout_mask, shuffled, truncated_normal

MLP = {"hidden.weight": (784, 500), "hidden.bias": (500,), "output.weight": (500, 10), "output.bias": (10,)}
CNN = {"conv1.weight": (3, 3, 1, 32), "conv1.bias": (32,), "conv2.weight": (3, 3, 32, 64), "conv2.bias": (64,),
       "hidden.weight": (9216, 128), "hidden.bias": (128,), "output.weight": (128, 10), "output.bias": (10,)}
KEEP = 0.9


def initial(shapes, seed):
    """MLP: sigma 0.1, biases 0.1. CNN: He's deviation, for a distribution truncated at 2 sigma; biases 0."""
    parameters, first = {}, 0
    for name, shape in shapes.items():
        size = int(np.prod(shape))
        if len(shape) == 1:
            parameters[name] = np.full(shape, 0.1 if shapes is MLP else 0.0)
        else:
            sigma = 0.1 if shapes is MLP else np.sqrt(2 / (size / shape[-1])) / 0.87962566103423978
            parameters[name] = truncated_normal(seed, first, size).reshape(shape) * sigma
        first += size
    return parameters


def output_error(p, hidden, labels):
    scores = np.exp(hidden @ p["output.weight"] + p["output.bias"])
    return (scores / scores.sum(1, keepdims=True) - np.eye(10)[labels]) / len(labels)


def mlp_gradient(p, x, labels, mask):
    before = x @ p["hidden.weight"] + p["hidden.bias"]
    hidden = np.maximum(before, 0) * mask
    error = output_error(p, hidden, labels)
    hidden_error = error @ p["output.weight"].T * mask * (before > 0)
    return {"hidden.weight": x.T @ hidden_error, "hidden.bias": hidden_error.sum(0),
            "output.weight": hidden.T @ error, "output.bias": error.sum(0)}


def patches(planes):
    """[image, row, column, plane] -> a row with the numbers of each 3 x 3 neighbourhood, taps first."""
    windows = np.lib.stride_tricks.sliding_window_view(planes, (3, 3), axis=(1, 2))
    return windows.transpose(0, 1, 2, 4, 5, 3).reshape(-1, 9 * planes.shape[3])


def cnn_gradient(p, x, labels, mask):
    count = len(labels)
    matrix = {name: p[name].reshape(-1, p[name].shape[-1]) for name in ("conv1.weight", "conv2.weight")}
    patches1 = patches(x.reshape(count, 28, 28, 1))
    first = np.maximum(patches1 @ matrix["conv1.weight"] + p["conv1.bias"], 0).reshape(count, 26, 26, 32)
    patches2 = patches(first)
    second = np.maximum(patches2 @ matrix["conv2.weight"] + p["conv2.bias"], 0).reshape(count, 12, 2, 12, 2, 64)
    fours = second.transpose(0, 1, 3, 5, 2, 4).reshape(count, 12, 12, 64, 4)
    pooled = fours.max(-1).reshape(count, 9216)
    before = pooled @ p["hidden.weight"] + p["hidden.bias"]
    hidden = np.maximum(before, 0) * mask
    error = output_error(p, hidden, labels)

    hidden_error = error @ p["output.weight"].T * mask * (before > 0)
    pooled_error = (hidden_error @ p["hidden.weight"].T * (pooled > 0)).reshape(count, 12, 12, 64)
    fours_error = np.eye(4)[fours.argmax(-1)] * pooled_error[..., None]
    second_error = fours_error.reshape(count, 12, 12, 64, 2, 2).transpose(0, 1, 4, 2, 5, 3).reshape(-1, 64)
    patch_error = (second_error @ matrix["conv2.weight"].T).reshape(count, 24, 24, 3, 3, 32)
    first_error = np.zeros_like(first)
    for y in range(3):
        for x_ in range(3):
            first_error[:, y:y + 24, x_:x_ + 24] += patch_error[:, :, :, y, x_]
    first_error = (first_error * (first > 0)).reshape(-1, 32)
    return {"conv1.weight": (patches1.T @ first_error).reshape(3, 3, 1, 32), "conv1.bias": first_error.sum(0),
            "conv2.weight": (patches2.T @ second_error).reshape(3, 3, 32, 64), "conv2.bias": second_error.sum(0),
            "hidden.weight": pooled.T @ hidden_error, "hidden.bias": hidden_error.sum(0),
            "output.weight": hidden.T @ error, "output.bias": error.sum(0)}


class Adam:
    def __init__(self, parameters):
        self.first, self.second = ({name: 0 * value for name, value in parameters.items()} for _ in range(2))

    def apply(self, parameters, gradients, rate, number):
        for name, g in gradients.items():
            self.first[name] = 0.9 * self.first[name] + 0.1 * g
            self.second[name] = 0.999 * self.second[name] + 0.001 * g * g
            parameters[name] = parameters[name] - rate * self.first[name] / (1 - 0.9**number) / (
                np.sqrt(self.second[name] / (1 - 0.999**number)) + 1e-8)


class Sgd:
    def __init__(self, parameters):
        self.velocity = {name: 0 * value for name, value in parameters.items()}

    def apply(self, parameters, gradients, rate, number):
        for name, g in gradients.items():
            self.velocity[name] = 0.9 * self.velocity[name] + g
            parameters[name] = parameters[name] - rate * self.velocity[name]


def cosine(rate, number, updates, warm_up):
    if number <= warm_up:
        return rate * number / warm_up
    return rate * (1 + np.cos(np.pi * (number - 1 - warm_up) / (updates - warm_up))) / 2


def train(shapes, images, labels, seed, batch, updates, optimizer=Adam, rate=lambda number: 0.001):
    """The parameters after this number of updates, all within the first epoch."""
    parameters = initial(shapes, seed)
    gradient = mlp_gradient if shapes is MLP else cnn_gradient
    optimizer = optimizer(parameters)
    order = shuffled(seed, 0, len(labels))
    for update in range(updates):
        chosen = order[update * batch:(update + 1) * batch]
        mask = dropout_mask(seed, update * batch, batch, len(parameters["hidden.bias"]), KEEP)
        gradients = gradient(parameters, images[chosen] / 255, labels[chosen], mask)
        optimizer.apply(parameters, gradients, rate(update + 1), update + 1)
    return parameters
