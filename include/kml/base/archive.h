#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace kml {

/// Compresses into the gzip format. The header has no time and no name, so equal input gives equal output.
class Gzip {
 public:
  Gzip();
  ~Gzip();

  void add(std::string_view bytes);
  /// The number of compressed bytes so far, without the last few, which are still buffered.
  size_t size() const;
  /// Returns the whole gzip data. Call it once, after the last add().
  std::string finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string gzipped(std::string_view bytes);

/// Decompresses gzip. Throws Error if the bytes are not gzip or are cut short, or if the result exceeds
/// `limit` bytes.
std::string gunzipped(std::string_view bytes, size_t limit);

class Gzip;
struct TarEntry;

/// Makes a gzip-compressed tar archive. It stores no times or owners, and only the executable bit of modes.
/// Equal files therefore give equal archives. Names are relative and use "/". Names too long for ustar use
/// GNU tar's extension, which busybox also reads.
class Archive {
 public:
  Archive();
  ~Archive();

  void add_file(std::string_view name, std::string_view content, bool is_executable);
  void add_link(std::string_view name, std::string_view target);
  void add_folder(std::string_view name);

  /// The number of compressed bytes so far, without the last few, which are still buffered.
  size_t size() const;

  /// Returns the whole archive. Call it once, after the last entry.
  std::string finish();

 private:
  void add(const TarEntry& entry);

  std::unique_ptr<Gzip> gzip_;
};

}  // namespace kml
