#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/real.h"

namespace trainer {

/// A tensor in a file of the safetensors format (https://github.com/huggingface/safetensors#format). Such a
/// file has a 64-bit little-endian length, a JSON header of that length, and the bytes of the tensors.
/// Supports only tensors of Real (F32, in some tests F64).
struct TensorView {
  std::string name;
  std::vector<size_t> shape;
  std::span<const Real> values;
};

struct TensorFile {
  std::map<std::string, std::string> metadata;
  std::map<std::string, TensorView> tensors;
  std::vector<Real> storage;  ///< holds the data to which the views point
};

/// A file's content is invalid. The message says why.
struct DamagedFile : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Returns the content of a file. Adds a metadata entry "md5": the md5 of the file with the 32 digits of this
/// entry replaced by zeros.
std::string serialize(std::map<std::string, std::string> metadata, std::span<const TensorView> tensors);

/// Parses the file, and checks its md5 and the places of its tensors. Throws DamagedFile.
TensorFile parse_tensors(std::span<const uint8_t> bytes);

}  // namespace trainer
