#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/copy/content_sum.h"
#include "jobs/copy/pod_tree.h"

namespace kml::jobs {

/// Many small files in one stream. The script prints, for each batch of $3 names, or fewer, that xargs makes:
/// how many files it has, a line with the size of each, their contents, one after the other, and a line with
/// the sum of each.
extern const std::string_view kFilesScript;

/// Reads what that script prints.
class FileStream {
 public:
  struct Handler {
    /// A file arrived. Its size may differ from that in the listing.
    std::function<void(const CopyEntry& file, std::string_view content)> on_content;
    /// The checksum of the content that the pod already has. If it equals that of this content, the file is
    /// kept.
    std::function<void(const CopyEntry& file, const std::string& sum)> on_sum;
  };

  /// The files in the order in which the script gets their names. They must outlive the object.
  FileStream(std::span<const CopyEntry* const> files, SumTool tool, Handler handler);

  /// Bytes may be cut anywhere. Throws garbled() if they are not as described, as when a file is changed at
  /// the same time.
  void feed(std::string_view bytes);
  bool is_complete() const { return is_complete_; }

 private:
  size_t take(std::string_view bytes);
  void take_line(std::string_view line);
  void finish_empty_files();

  std::span<const CopyEntry* const> files_;
  SumTool tool_;
  Handler handler_;
  std::string held_;                        ///< the beginning of a line, or of a file
  std::vector<size_t> sizes_;               ///< of the files of the batch, as far as they are known
  size_t begin_ = 0, end_ = 0;              ///< the files of the batch
  size_t next_content_ = 0, next_sum_ = 0;  ///< the files that come next
  bool is_complete_ = false;
};

}  // namespace kml::jobs
