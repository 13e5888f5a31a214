#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace kml {

/// One direction of a stream that zlib compresses in pieces, each flushed, with a dictionary that both ends
/// know (RFC 1950).
class ZlibWriter {
 public:
  explicit ZlibWriter(std::string_view dictionary);
  /// The bytes, compressed.
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
  /// The decompressed bytes. Throws Error if the input is damaged, or has more than `limit` bytes when
  /// decompressed.
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
