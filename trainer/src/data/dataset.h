#pragma once

#include <filesystem>
#include <string>

#include "base/parallel.h"
#include "data/idx.h"
#include "model/model.h"

namespace trainer {

struct Part {
  Images images;
  Labels labels;
};

struct Dataset {
  Part train;
  Part test;
  std::string name;      ///< "MNIST", "Fashion-MNIST", or "custom" for other data of the same form
  uint32_t classes = 0;  ///< the largest label plus one, at least 2
  std::string md5;       ///< a digest of all four files; shows whether a resumed run has the same data

  Shape shape() const { return {train.images.rows, train.images.columns, classes}; }
};

/// How strictly the files are compared with known checksums.
enum class Verify {
  automatic,      ///< all four known: that set. None: custom data. Only some: damaged, an error
  mnist,          ///< anything but MNIST is an error
  fashion_mnist,  ///< anything but Fashion-MNIST (https://github.com/zalandoresearch/fashion-mnist)
  custom,         ///< accepts all files of the right form
};

/// Reads the four IDX files train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-images-idx3-ubyte and
/// t10k-labels-idx1-ubyte in `folder`, or the same names with .gz. Throws Error that names the file and what
/// was expected.
Dataset load_dataset(const std::filesystem::path& folder, Verify verify, Parallel& parallel);

}  // namespace trainer
