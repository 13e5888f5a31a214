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
  std::string name;      ///< "MNIST", "Fashion-MNIST", or "custom" for other data in the same format
  uint32_t classes = 0;  ///< the largest label plus one, at least 2
  std::string md5;       ///< a digest of all four files, which shows whether a resumed run has the same data

  Shape shape() const { return {train.images.rows, train.images.columns, classes}; }
};

/// How strictly the files are compared with known checksums.
enum class Verify {
  /// If the checksums of all four files are known, the data is that set; if none is known, it is custom data.
  /// If only some are known, throws Error, because a file is damaged.
  automatic,
  mnist,          ///< data other than MNIST is an error
  fashion_mnist,  ///< anything but Fashion-MNIST (https://github.com/zalandoresearch/fashion-mnist)
  custom,         ///< accepts all files in the right format
};

/// Reads the four IDX files train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-images-idx3-ubyte and
/// t10k-labels-idx1-ubyte in `folder`, or the same names with .gz. Throws an Error that names the file and
/// describes what was expected.
Dataset load_dataset(const std::filesystem::path& folder, Verify verify, Parallel& parallel);

}  // namespace trainer
