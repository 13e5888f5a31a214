#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

namespace trainer {

/// Says what is wrong with a compressed file.
struct DamagedGzip : std::runtime_error {
  using std::runtime_error::runtime_error;
};

bool is_gzip(std::span<const uint8_t> bytes);

/// What a file of gzip (RFC 1952) holds, its check sum and length compared. Throws DamagedGzip.
std::vector<uint8_t> gunzip(std::span<const uint8_t> bytes);

}  // namespace trainer
