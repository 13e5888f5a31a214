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

/// The reverse. Throws Error if the bytes are no gzip or are cut, or would give more than `limit` bytes.
std::string gunzipped(std::string_view bytes, size_t limit);

class Gzip;
struct TarEntry;

/// Makes a gzip-compressed tar archive that depends on names and contents alone: no times, owners, or modes
/// but whether a file is executable. Names are relative, with "/"; those that ustar cannot hold are written
/// as GNU tar does, which busybox reads too.
class Archive {
 public:
  Archive();
  ~Archive();

  void add_file(std::string_view name, std::string_view content, bool is_executable);
  void add_link(std::string_view name, std::string_view target);
  void add_folder(std::string_view name);

  /// Compressed bytes so far; the last few are still held back.
  size_t size() const;

  /// The whole archive. Nothing can be added any more.
  std::string finish();

 private:
  void add(const TarEntry& entry);

  std::unique_ptr<Gzip> gzip_;
};

}  // namespace kml
