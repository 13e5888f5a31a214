#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace kml {

/// One direction of a stream that zlib compresses piece by piece, with a flush after each piece. Both ends
/// know the same dictionary (RFC 1950).
class ZlibWriter {
 public:
  explicit ZlibWriter(std::string_view dictionary);
  /// Returns the bytes in compressed form.
  std::string write(std::string_view bytes);

 private:
  struct State;
  struct Free {
    void operator()(State* state) const;
  };
  std::unique_ptr<State, Free> state_;
};

class ZlibReader {
 public:
  explicit ZlibReader(std::string dictionary);
  /// Returns the bytes in decompressed form. Throws Error if the input is damaged, or if it has more than
  /// `limit` bytes when decompressed.
  std::string read(std::string_view bytes, size_t limit);

 private:
  struct State;
  struct Free {
    void operator()(State* state) const;
  };
  std::string dictionary_;
  std::unique_ptr<State, Free> state_;
};

}  // namespace kml
