#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace kml {

using Sha256State = std::array<uint32_t, 8>;

/// Mixes `count` blocks of 64 bytes into the state, on any processor.
void add_blocks_portably(Sha256State& state, const char* blocks, size_t count);

/// Whether this processor has Intel's SHA extensions, which add_blocks_by_sha_ni() needs.
bool has_sha_ni();
void add_blocks_by_sha_ni(Sha256State& state, const char* blocks, size_t count);

}  // namespace kml
