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

/// A file in the safetensors format (https://github.com/huggingface/safetensors#format): 64-bit little-endian
/// length of a JSON header, the header, then the tensors' bytes. Only tensors of Real (F32, in some tests
/// F64) are handled.
struct TensorView {
  std::string name;
  std::vector<size_t> shape;
  std::span<const Real> values;
};

struct TensorFile {
  std::map<std::string, std::string> metadata;
  std::map<std::string, TensorView> tensors;
  std::vector<Real> storage;  ///< what the views show
};

/// Says what is wrong with a file's content.
struct DamagedFile : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The whole file. A metadata entry "md5" is added: the md5 of the file with that entry's 32 digits as zeros.
std::string serialize(std::map<std::string, std::string> metadata, std::span<const TensorView> tensors);

/// Checks everything, the md5 included. Throws DamagedFile.
TensorFile parse_tensors(std::span<const uint8_t> bytes);

}  // namespace trainer
