#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// defines: append_tar_header, append_tar_padding, append_tar, append_tar_end, TarReader. Uses no exceptions,
// because kml-step is linked without support for them.

namespace kml {

/// A file, link or folder in a tar archive.
struct TarEntry {
  enum class Type : char { file = '0', link = '2', folder = '5' };

  std::string name;  ///< relative, with "/"
  Type type = Type::file;
  bool is_executable = false;
  std::string target = {};        ///< the target of a link; empty for other entries
  std::string_view content = {};  ///< the content of a file; empty for other entries
  /// Only for writing: the permissions, if they do not follow from `is_executable`, and the time, in seconds
  /// since 1970.
  unsigned mode = 0;
  unsigned long long modified = 0;
};

/// Appends the header for an entry with `size` bytes of content. The header contains no owners. Names and
/// targets of links with more than 100 bytes use GNU tar's extension, which busybox can read, too.
void append_tar_header(const TarEntry& entry, size_t size, std::string& out);
/// Appends the zeros that must follow `size` bytes of content.
void append_tar_padding(size_t size, std::string& out);
/// Appends an entry with its header, content and padding.
void append_tar(const TarEntry& entry, std::string& out);
/// Appends the end of the archive.
void append_tar_end(std::string& out);

/// Reads archives written by these functions.
class TarReader {
 public:
  /// `bytes` must outlive the reader and the content of its entries.
  explicit TarReader(std::string_view bytes) : bytes_(bytes) {}

  /// Reads the next entry. Returns false at the end, or if the archive is damaged.
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
