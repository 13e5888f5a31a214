#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace kml {

/// Compresses into the gzip format. The header contains neither a time nor a name, so the same input always
/// gives the same output.
class Gzip {
 public:
  Gzip();
  ~Gzip();

  void add(std::string_view bytes);
  /// How many compressed bytes there are so far, without those that are still buffered.
  size_t size() const;
  /// Returns the complete gzip data. Call this once, after the last add().
  std::string finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string gzipped(std::string_view bytes);

/// Decompresses gzip data. Throws Error if the bytes are not gzip, are damaged or incomplete, or if the
/// result exceeds `limit` bytes.
std::string gunzipped(std::string_view bytes, size_t limit);

class Gzip;
struct TarEntry;

/// Makes a gzip-compressed tar archive. It contains neither times nor owners, and only the executable bit of
/// each mode, so the same files always give the same archive. Names are relative and use "/". Names and
/// targets of links with more than 100 bytes use GNU tar's extension, which busybox can read, too.
class Archive {
 public:
  Archive();
  ~Archive();

  void add_file(std::string_view name, std::string_view content, bool is_executable);
  void add_link(std::string_view name, std::string_view target);
  void add_folder(std::string_view name);

  /// How many compressed bytes there are so far, without those that are still buffered.
  size_t size() const;

  /// Returns the complete archive. Call this once, after the last entry.
  std::string finish();

 private:
  void add(const TarEntry& entry);

  std::unique_ptr<Gzip> gzip_;
};

}  // namespace kml
