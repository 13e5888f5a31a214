#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// defines: append_tar_header, append_tar, append_tar_end, TarReader. Without exceptions, as kml-step is
// linked without them.

namespace kml {

/// A file, link or folder of a tar archive.
struct TarEntry {
  enum class Type : char { file = '0', link = '2', folder = '5' };

  std::string name;  ///< relative, with "/"
  Type type = Type::file;
  bool is_executable = false;
  std::string target = {};        ///< of a link
  std::string_view content = {};  ///< of a file
};

/// What stands before the content of an entry, of that many bytes. No times or owners; names that ustar
/// cannot hold are written as GNU tar does, which busybox reads too.
void append_tar_header(const TarEntry& entry, size_t size, std::string& out);
/// The zeros that follow content of that many bytes.
void append_tar_padding(size_t size, std::string& out);
/// A whole entry.
void append_tar(const TarEntry& entry, std::string& out);
/// What ends an archive.
void append_tar_end(std::string& out);

/// Goes through what these functions wrote.
class TarReader {
 public:
  /// `bytes` must outlive it, and the content of its entries.
  explicit TarReader(std::string_view bytes) : bytes_(bytes) {}

  /// False at the end, and where the archive is damaged.
  bool next(TarEntry& entry);
  bool is_damaged() const { return is_damaged_; }

 private:
  bool damaged() {
    is_damaged_ = true;
    return false;
  }

  std::string_view bytes_;
  bool is_damaged_ = false;
};

}  // namespace kml
