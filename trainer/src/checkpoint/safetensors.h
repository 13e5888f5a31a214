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

/// A file in the safetensors format (https://github.com/huggingface/safetensors#format): a 64-bit
/// little-endian length, a JSON header of that length, and the tensors' bytes. Supports only tensors of Real
/// (F32, in some tests F64).
struct TensorView {
  std::string name;
  std::vector<size_t> shape;
  std::span<const Real> values;
};

struct TensorFile {
  std::map<std::string, std::string> metadata;
  std::map<std::string, TensorView> tensors;
  std::vector<Real> storage;  ///< owns the data of the views
};

/// Its message describes what is wrong with a file's content.
struct DamagedFile : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The whole file. Adds a metadata entry "md5": the md5 of the file with the 32 digits of this entry replaced
/// by zeros.
std::string serialize(std::map<std::string, std::string> metadata, std::span<const TensorView> tensors);

/// Parses the file and checks everything, including the md5. Throws DamagedFile.
TensorFile parse_tensors(std::span<const uint8_t> bytes);

}  // namespace trainer
