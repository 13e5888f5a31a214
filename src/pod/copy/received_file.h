#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "kml/base/beneath.h"
#include "pod/copy/content_sum.h"

namespace kml::pod {

/// The incomplete copy of a file that is being received (see Beneath), with the checksum of its bytes so far.
class ReceivedFile {
 public:
  /// `whole` is the size of the complete file. Keeps the complete blocks of an earlier attempt, unless that
  /// has more bytes than `whole`.
  ReceivedFile(Beneath& folder, const std::string& path, SumTool tool, std::uintmax_t whole);
  static std::uintmax_t size_of(Beneath& folder, const std::string& path);

  /// Throws Error if the bytes cannot be written.
  void add(std::string_view bytes);
  std::uintmax_t size() const { return size_; }
  std::string sum() const { return sum_.text(); }

 private:
  void read_kept(std::uintmax_t whole);

  const std::string path_;
  Fd part_;
  ContentSum sum_;
  std::uintmax_t size_ = 0;
};

/// Reads a stream with a given number of bytes, then a newline, the mark, a space, a line, and a newline. If
/// the file has changed since its size was read, there may be more or fewer bytes before the mark.
class MarkedStream {
 public:
  MarkedStream(std::uintmax_t size, std::function<void(std::string_view)> take);

  /// A random text that no file contains.
  const std::string& mark() const { return mark_; }
  void feed(std::string_view bytes);
  /// The line after the mark; empty if the stream ended before it was complete.
  std::optional<std::string> line_after_mark() const;

 private:
  std::uintmax_t left_;
  std::function<void(std::string_view)> take_;
  std::string mark_;
  std::string last_;  ///< the last bytes of the stream
};

}  // namespace kml::pod
