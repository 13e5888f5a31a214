#include "local/logs/log_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include "local/logs/log_lines.h"
#include "local/shim/pod_folder.h"

namespace kml::local {

namespace fs = std::filesystem;

namespace {

constexpr size_t kReadBlock = 64 << 10;
// A reader that holds this many files open opens no newer ones until it continues, because held files use
// disk space even after they are removed. Newer files that rotation removes meanwhile are lost to it.
constexpr size_t kMostHeld = 16;

struct stat status_of(const Fd& file) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) status = {};
  return status;
}

uint64_t size_of(const Fd& file) {
  return static_cast<uint64_t>(status_of(file).st_size);
}

/// The offset at which the file's last `lines` lines start. Subtracts the number of lines in the file from
/// `lines`.
off_t tail_start(int fd, uint64_t& lines) {
  off_t position = ::lseek(fd, 0, SEEK_END);
  // The text from `position` to the end of the record that is being examined.
  std::string text;
  while (position > 0) {
    const size_t size = static_cast<size_t>(std::min<off_t>(position, kReadBlock));
    position -= static_cast<off_t>(size);
    std::string block(size, '\0');
    if (::pread(fd, block.data(), size, position) != static_cast<ssize_t>(size)) return 0;
    text.insert(0, block);
    // Goes backwards over complete records. The first record in the text may start in the previous block.
    for (size_t end = text.rfind('\n'); end != std::string::npos && end > 0;) {
      const size_t before = text.rfind('\n', end - 1);
      if (before == std::string::npos) break;
      if (ends_line(std::string_view(text).substr(before + 1, end - before - 1)) && lines-- == 0) {
        lines = 0;
        return position + static_cast<off_t>(end) + 1;
      }
      text.resize(before + 1);
      end = before;
    }
  }
  // What remains of the text is the first record in the file.
  if (const size_t end = text.find('\n'); end != std::string::npos && ends_line(text) && lines-- == 0) {
    lines = 0;
    return static_cast<off_t>(end) + 1;
  }
  return 0;
}

}  // namespace

LogFiles::LogFiles(fs::path folder, int restart)
    : folder_(std::move(folder)), name_(std::to_string(restart) + ".log") {
  open_newer();
}

LogFiles::Removed LogFiles::read_removed() const {
  Removed removed;
  const auto text = read_pod_file((folder_ / name_).replace_extension("removed"));
  if (!text) return removed;
  int end = 0;
  std::sscanf(text->c_str(), "%" SCNu64 " %" SCNu64 " %n", &removed.lines, &removed.bytes, &end);
  removed.last = text->substr(end, text->find('\n', end) - end);
  return removed;
}

/// Leaves out files that are about to be removed, because rotation records a removal before it happens.
std::vector<fs::path> LogFiles::paths(const std::string& last_removed) const {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder_, ignored))
    if (const std::string name = entry.path().filename();
        name.starts_with(name_ + ".") && name > last_removed)
      found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  found.push_back(folder_ / name_);
  return found;
}

/// Opens the files after `newest`. If `newest` was removed, opens all files.
std::deque<LogFiles::File> LogFiles::open_after(ino_t newest, const Removed& removed) const {
  std::deque<File> opened;
  for (std::vector<fs::path> listed; listed != paths(removed.last);) {
    listed = paths(removed.last);
    opened.clear();
    uint64_t begin = removed.bytes;
    for (const fs::path& path : listed) {
      Fd file = open_pod_file(path, O_RDONLY);
      if (!file) continue;
      const struct stat status = status_of(file);
      if (status.st_ino == newest)
        opened.clear();
      else
        opened.push_back({std::move(file), begin});
      begin += static_cast<uint64_t>(status.st_size);
    }
  }
  return opened;
}

/// Opens the files after the newest open one, which may have been renamed meanwhile.
void LogFiles::open_newer() {
  const ino_t newest = files_.empty() ? 0 : status_of(files_.back().fd).st_ino;
  struct stat current {};
  if (newest && ::stat((folder_ / name_).c_str(), &current) == 0 && current.st_ino == newest) return;
  Removed removed;
  std::deque<File> opened;
  // Repeats this if a file was removed meanwhile, so that `removed` and the opened files match.
  do {
    removed = read_removed();
    opened = open_after(newest, removed);
  } while (removed != read_removed());
  if (files_.empty()) removed_ = removed;
  for (File& file : opened) files_.push_back(std::move(file));
}

/// Moves to the next file. If the reader was so slow that files in between were removed, counts their bytes
/// as lost.
void LogFiles::go_to_next_file() {
  const uint64_t end = files_.front().begin + size_of(files_.front().fd);
  files_.pop_front();
  if (files_.front().begin > end) lost_ += files_.front().begin - end;
}

void LogFiles::hold_newer() {
  if (files_.size() < kMostHeld) open_newer();
}

void LogFiles::skip_to_tail(uint64_t lines) {
  for (auto file = files_.rbegin(); file != files_.rend(); ++file) {
    const off_t start = tail_start(file->fd.get(), lines);
    ::lseek(file->fd.get(), start, SEEK_SET);
    if (start == 0 && lines > 0) continue;
    files_.erase(files_.begin(), std::prev(file.base()));
    return;
  }
}

bool LogFiles::next(std::string_view& record) {
  for (;;) {
    const size_t end = buffer_.find('\n', begin_);
    if (end != std::string::npos) {
      record = std::string_view(buffer_).substr(begin_, end - begin_);
      begin_ = end + 1;
      return true;
    }
    if (!fill()) return false;
  }
}

bool LogFiles::read_more() {
  if (files_.empty()) return false;
  const size_t had = buffer_.size();
  buffer_.resize(had + kReadBlock);
  const ssize_t got = ::read(files_.front().fd.get(), buffer_.data() + had, kReadBlock);
  buffer_.resize(had + static_cast<size_t>(std::max<ssize_t>(got, 0)));
  return got > 0;
}

bool LogFiles::fill() {
  buffer_.erase(0, begin_);
  begin_ = 0;
  for (bool looked = false;;) {
    if (read_more()) return true;
    if (files_.size() >= 2) {
      // A record never spans two files, so the rest of this file is an incomplete record.
      buffer_.clear();
      go_to_next_file();
      continue;
    }
    if (looked) return false;
    const size_t had = files_.size();
    open_newer();
    // The file may have been written just before its rotation, so it is read once more.
    if (files_.size() == had) return false;
    looked = true;
  }
}

}  // namespace kml::local
