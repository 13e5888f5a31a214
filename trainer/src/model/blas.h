#pragma once

#include <cblas.h>

#include <cstdint>

namespace trainer {

/// A row-major matrix in memory, or its transpose. Rows in memory begin `stride` numbers apart.
template <typename Number>
struct Matrix {
  Number* data;
  size_t stride;
  bool transposed = false;
};

/// c (rows x columns) = a (rows x inner) * b (inner x columns) + beta * c, in the calling thread.
inline void multiply_dense(size_t rows, size_t columns, size_t inner, Matrix<const float> a,
                           Matrix<const float> b, float beta, Matrix<float> c) {
  cblas_sgemm(CblasRowMajor, a.transposed ? CblasTrans : CblasNoTrans,
              b.transposed ? CblasTrans : CblasNoTrans, static_cast<int>(rows), static_cast<int>(columns),
              static_cast<int>(inner), 1, a.data, static_cast<int>(a.stride), b.data,
              static_cast<int>(b.stride), beta, c.data, static_cast<int>(c.stride));
}

/// Like the function above, in double precision.
inline void multiply_dense(size_t rows, size_t columns, size_t inner, Matrix<const double> a,
                           Matrix<const double> b, double beta, Matrix<double> c) {
  cblas_dgemm(CblasRowMajor, a.transposed ? CblasTrans : CblasNoTrans,
              b.transposed ? CblasTrans : CblasNoTrans, static_cast<int>(rows), static_cast<int>(columns),
              static_cast<int>(inner), 1, a.data, static_cast<int>(a.stride), b.data,
              static_cast<int>(b.stride), beta, c.data, static_cast<int>(c.stride));
}

}  // namespace trainer
