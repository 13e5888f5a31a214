#pragma once

#include <cstddef>

namespace trainer {

/// The order in which sums over shards are made, whoever makes them: neighbours first, then neighbours of
/// these, so that a process can add what it has before it meets the others. `add(i, j)` adds the j-th to the
/// i-th; at the end the first is the sum of all. `count` is a power of two.
template <typename Add>
void add_pairwise(size_t count, Add add) {
  for (size_t distance = 1; distance < count; distance *= 2) {
    for (size_t i = 0; i + distance < count; i += 2 * distance) add(i, i + distance);
  }
}

}  // namespace trainer
