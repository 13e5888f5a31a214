"""Prints the accuracy of a model on the flowers in a file."""
import pickle
import sys

import numpy

model_path, test_path = sys.argv[1:]
with open(model_path, "rb") as file:
    model = pickle.load(file)
data = numpy.loadtxt(test_path, delimiter=",")
print(f"accuracy={model.score(data[:, :-1], data[:, -1]):.4f}")
