"""Splits scikit-learn's Iris data: 120 flowers for training, 30 for testing."""
import sys

import numpy
from sklearn.datasets import load_iris
from sklearn.model_selection import train_test_split

train_path, test_path = sys.argv[1:]
features, species = load_iris(return_X_y=True)
train_x, test_x, train_y, test_y = train_test_split(features, species, test_size=30, stratify=species, random_state=1)
for path, x, y in ((train_path, train_x, train_y), (test_path, test_x, test_y)):
    numpy.savetxt(path, numpy.column_stack((x, y)), fmt="%.1f", delimiter=",")
    print(f"{len(x)} flowers in {path}")
