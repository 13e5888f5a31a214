"""Trains a forest on the flowers in a file, and writes the model to another file."""
import argparse
import pickle

import numpy
from sklearn.ensemble import RandomForestClassifier

parser = argparse.ArgumentParser()
parser.add_argument("train")
parser.add_argument("model")
parser.add_argument("--trees", type=int, default=100)
args = parser.parse_args()

data = numpy.loadtxt(args.train, delimiter=",")
forest = RandomForestClassifier(args.trees, random_state=1).fit(data[:, :-1], data[:, -1])
with open(args.model, "wb") as file:
    pickle.dump(forest, file)
