#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pod/copy/content_sum.h"
#include "pod/copy/pod_tree.h"

namespace kml::pod {

/// A script that sends many small files in one stream. xargs passes the names to the script in batches of at
/// most $3. For each batch, the script prints the number of files, a line with the size of each file, the
/// contents of the files, and a line with the checksum of each file. dd combines the contents into large
/// pieces, because each piece is sent as a separate message.
extern const std::string_view kFilesScript;

/// Reads the stream that the script prints.
class FileStream {
 public:
  struct Handler {
    /// Called for each file that has arrived. The file's size may differ from the size in the listing.
    std::function<void(const CopyEntry& file, std::string content)> on_content;
    /// Called with the checksum of the pod's file. If the content on this machine has the same checksum, the
    /// file is kept.
    std::function<void(const CopyEntry& file, const std::string& sum)> on_sum;
  };

  /// `files` must be in the order in which the script gets their names, and must outlive this object.
  FileStream(std::span<const CopyEntry* const> files, SumTool tool, Handler handler);

  /// Adds a piece of the stream, which may end anywhere. Throws garbled() if the bytes do not have the
  /// described form, which may happen if a file is changed at the same time.
  void feed(std::string_view bytes);
  bool is_complete() const { return is_complete_; }

 private:
  size_t take(std::string_view bytes);
  void take_line(std::string_view line);
  void finish_empty_files();

  std::span<const CopyEntry* const> files_;
  SumTool tool_;
  Handler handler_;
  std::string held_;            ///< the start of a line or of a file
  std::vector<size_t> sizes_;   ///< the known sizes of the files in the batch
  size_t begin_ = 0, end_ = 0;  ///< the files in the batch
  /// the files to which the next content and the next checksum belong
  size_t next_content_ = 0, next_sum_ = 0;
  bool is_complete_ = false;
};

}  // namespace kml::pod
