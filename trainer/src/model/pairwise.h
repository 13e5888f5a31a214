#pragma once

#include <cstddef>

namespace trainer {

/// Defines the order in which all sums over shards are computed: first neighbors are added, then neighbors of
/// these sums, so that a process can add up its own shards before it exchanges sums with others. `add(i, j)`
/// adds the j-th value to the i-th. At the end, the first value is the sum of all. `count` is a power of two.
template <typename Add>
void add_pairwise(size_t count, Add add) {
  for (size_t distance = 1; distance < count; distance *= 2) {
    for (size_t i = 0; i + distance < count; i += 2 * distance) add(i, i + distance);
  }
}

}  // namespace trainer
