#include "pod/copy/file_stream.h"

#include <algorithm>
#include <utility>

#include "kml/base/text.h"

namespace kml::pod {

const std::string_view kFilesScript =
    R"sh(cd "$1" && TOOL=$2 && export TOOL || exit
{
  xargs -0 -n "$3" sh -c 'echo $#; stat -c %s "$@"
  exec 3>&1; sums=$($TOOL "$@" & cat "$@" >&3; wait); printf "%s\n" "$sums"' sh
  echo end
} | dd ibs=65536 obs=65536 2>/dev/null)sh";

namespace {

/// Longer than any name can be.
constexpr size_t kLongestSumLine = 8192;
/// A limit, because files are held in memory, and a file may have grown since it was listed as small.
constexpr size_t kLargestFile = size_t{64} << 20;

Error stream_garbled() {
  return garbled("cannot read the files");
}

}  // namespace

FileStream::FileStream(std::span<const CopyEntry* const> files, SumTool tool, Handler handler)
    : files_(files), tool_(tool), handler_(std::move(handler)) {}

void FileStream::feed(std::string_view bytes) {
  while (!bytes.empty()) bytes.remove_prefix(take(bytes));
}

/// Consumes a line or a file, or the next part of one. Returns how many bytes were consumed.
size_t FileStream::take(std::string_view bytes) {
  if (is_complete_) throw stream_garbled();
  if (next_content_ < begin_ + sizes_.size() && sizes_.size() == end_ - begin_) {
    const size_t whole = sizes_[next_content_ - begin_], size = std::min(bytes.size(), whole - held_.size());
    held_ += bytes.substr(0, size);
    if (held_.size() == whole) {
      handler_.on_content(*files_[next_content_++], std::exchange(held_, {}));
      finish_empty_files();
    }
    return size;
  }
  const size_t newline = bytes.find('\n');
  held_ += bytes.substr(0, newline);
  if (held_.size() > kLongestSumLine) throw stream_garbled();
  if (newline == std::string_view::npos) return bytes.size();
  take_line(std::exchange(held_, {}));
  return newline + 1;
}

void FileStream::take_line(std::string_view line) {
  const auto number = [&] { return static_cast<size_t>(whole_number(line).value_or(0)); };
  if (sizes_.size() < end_ - begin_) {
    sizes_.push_back(number());
    if (sizes_.back() > kLargestFile || line.empty()) throw stream_garbled();
    finish_empty_files();
  } else if (next_sum_ < end_) {
    const std::string sum = sum_in_line(tool_, line);
    if (sum.empty()) throw stream_garbled();
    handler_.on_sum(*files_[next_sum_++], sum);
  } else if (next_sum_ == files_.size()) {
    if (line != "end") throw stream_garbled();
    is_complete_ = true;
  } else {
    begin_ = end_;
    if (number() == 0 || number() > files_.size() - begin_) throw stream_garbled();
    end_ = begin_ + number();
    sizes_.clear();
  }
}

void FileStream::finish_empty_files() {
  if (sizes_.size() < end_ - begin_) return;
  while (next_content_ < end_ && sizes_[next_content_ - begin_] == 0)
    handler_.on_content(*files_[next_content_++], {});
}

}  // namespace kml::pod
