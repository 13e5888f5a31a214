#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace kml {

/// Compresses into the gzip format. The result depends on what is added alone: it has neither time nor name.
class Gzip {
 public:
  Gzip();
  ~Gzip();

  void add(std::string_view bytes);
  /// Compressed bytes so far; the last few are still held back.
  size_t size() const;
  /// All of it. Nothing can be added any more.
  std::string finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string gzipped(std::string_view bytes);

/// The reverse. Throws Error where the bytes are no gzip or are cut, or would give more than `limit` bytes.
std::string gunzipped(std::string_view bytes, size_t limit);

}  // namespace kml
