#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/real.h"

namespace trainer {

/// Most pixels of a handwritten digit are black (81 % in MNIST). Products with images skip them and are
/// therefore several times faster than dense products.
///
/// A matrix that stores only its non-zero elements, row by row. The elements of a row are split into
/// `segments` (1, 2, 4 or 8). A product sums each segment separately and then adds the sums pairwise: first
/// with second, third with fourth, then these sums.
struct SparseRows {
  uint32_t segments = 1;
  std::vector<uint32_t>
      start;  ///< segment s of row r: elements [start[r * segments + s], start[r * segments + s + 1])
  std::vector<uint16_t> column;
  std::vector<Real> value;

  uint32_t rows() const { return static_cast<uint32_t>((start.size() - 1) / segments); }
};

/// Images as the rows of a matrix with a column for each pixel. Bytes 0 … 255 become 0 … 1.
SparseRows image_rows(std::span<const uint8_t* const> images, uint32_t pixels);

/// The transpose of `rows`, which has `columns` columns. `bounds` are row numbers of `rows` (ascending, from
/// 0 to rows.rows()) that become the bounds of segments.
SparseRows transposed(const SparseRows& rows, uint32_t columns, std::span<const uint32_t> bounds);

/// A dense matrix split into contiguous tiles of kWidth columns (the last one padded with zeros). A tile of a
/// weight matrix stays in the first-level cache while many rows are multiplied by it.
class Tiles {
 public:
  static constexpr uint32_t kWidth = 32;

  Tiles(uint32_t rows, uint32_t columns);

  uint32_t count() const { return (columns_ + kWidth - 1) / kWidth; }
  uint32_t padded_columns() const { return count() * kWidth; }
  uint32_t width(uint32_t tile) const;  ///< the number of columns of a tile that are not padding
  const Real* data(uint32_t tile) const { return &data_[size_t{tile} * rows_ * kWidth]; }

  /// Copies a tile of rows [first, last) from a row-major matrix; `source` is its row 0.
  void copy_in(uint32_t tile, uint32_t first, uint32_t last, const Real* source, size_t stride);

 private:
  uint32_t rows_;
  uint32_t columns_;
  std::vector<Real> data_;
};

/// Computes out[r - first][0 … width) = row r of `a` times tile `tile` of `b`, for rows [first, last). Rows
/// of `out` are `stride` floats apart. The order of the additions depends only on the row.
void multiply(const SparseRows& a, uint32_t first, uint32_t last, const Tiles& b, uint32_t tile,
              uint32_t width, Real* out, size_t stride);

}  // namespace trainer
