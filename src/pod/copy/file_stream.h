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

/// Reads many small files from one stream. xargs gives the script the names in batches of at most $3. For
/// each batch the script prints the number of files, a line with the size of each file, the contents of the
/// files, and a line with the sum of each file. dd joins the contents to large pieces, because each piece is
/// sent as a separate message.
extern const std::string_view kFilesScript;

/// Reads what that script prints.
class FileStream {
 public:
  struct Handler {
    /// A file has arrived. Its size may differ from the size in the listing.
    std::function<void(const CopyEntry& file, std::string content)> on_content;
    /// The checksum of the content that the pod already has. If the file's content has the same checksum,
    /// the file is kept.
    std::function<void(const CopyEntry& file, const std::string& sum)> on_sum;
  };

  /// The files in the order in which the script gets their names. They must outlive the object.
  FileStream(std::span<const CopyEntry* const> files, SumTool tool, Handler handler);

  /// The pieces may end anywhere. Throws garbled() if the bytes do not have the described form, for example
  /// because a file is changed at the same time.
  void feed(std::string_view bytes);
  bool is_complete() const { return is_complete_; }

 private:
  size_t take(std::string_view bytes);
  void take_line(std::string_view line);
  void finish_empty_files();

  std::span<const CopyEntry* const> files_;
  SumTool tool_;
  Handler handler_;
  std::string held_;                        ///< the start of a line, or of a file
  std::vector<size_t> sizes_;               ///< of the files of the batch, as far as they are known
  size_t begin_ = 0, end_ = 0;              ///< the files of the batch
  size_t next_content_ = 0, next_sum_ = 0;  ///< the files that come next
  bool is_complete_ = false;
};

}  // namespace kml::pod
