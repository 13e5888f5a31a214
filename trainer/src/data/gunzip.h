#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

namespace trainer {

/// A compressed file is invalid. The message says why.
struct DamagedGzip : std::runtime_error {
  using std::runtime_error::runtime_error;
};

bool is_gzip(std::span<const uint8_t> bytes);

/// Decompresses a gzip file (RFC 1952) to at most `most` bytes, and checks its checksum and length. Throws
/// DamagedGzip if the file is damaged or its content is larger.
std::vector<uint8_t> gunzip(std::span<const uint8_t> bytes, size_t most);

}  // namespace trainer
