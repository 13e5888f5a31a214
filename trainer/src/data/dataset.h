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
  std::string name;      ///< "MNIST", "Fashion-MNIST", or "custom" for others of the same form
  uint32_t classes = 0;  ///< one more than the largest label, at least 2
  std::string md5;       ///< one digest of all four files; tells a resumed run whether the data are the same

  Shape shape() const { return {train.images.rows, train.images.columns, classes}; }
};

/// How far the files are compared with known checksums.
enum class Verify {
  automatic,      ///< all four of a known set: that. None known: custom data. Some: a damaged file, an error
  mnist,          ///< anything but MNIST is an error
  fashion_mnist,  ///< anything but Fashion-MNIST (https://github.com/zalandoresearch/fashion-mnist)
  custom,         ///< anything of the right form is taken
};

/// Reads the four IDX files train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-images-idx3-ubyte and
/// t10k-labels-idx1-ubyte in `folder`, or with .gz at their ends. Throws Error that names the file and what
/// was expected of it.
Dataset load_dataset(const std::filesystem::path& folder, Verify verify, Parallel& parallel);

}  // namespace trainer
