#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/parallel.h"
#include "base/real.h"
#include "model/model.h"

namespace trainer {

/// A trained network, which classifies pictures.
class Predictor {
 public:
  /// Reads the newest checkpoint in a folder that --checkpoint-dir wrote. Throws Error if there is none or it
  /// cannot be read.
  explicit Predictor(const std::filesystem::path& folder);

  /// The number of bytes in a picture.
  uint32_t pixels() const { return shape_.pixels(); }

  /// The probability of each class. `picture` has a byte for each pixel, row by row: 0 is background.
  std::vector<double> probabilities(std::span<const uint8_t> picture);

 private:
  Parallel parallel_{1};
  Shape shape_;
  std::unique_ptr<Model> model_;
  std::vector<Real> parameters_;
};

/// The pixels of a picture. The file is a PGM file (https://netpbm.sourceforge.net/doc/pgm.html, magic number
/// P5, with 255 as the largest value), or only `pixels` bytes. Throws Error, with exit code 2, if it is
/// neither.
std::vector<uint8_t> picture_of(std::span<const uint8_t> file, uint32_t pixels);

/// {"class":7,"probability":0.9981,"probabilities":[...]}, without a newline.
std::string prediction_line(std::span<const double> probabilities);

}  // namespace trainer
