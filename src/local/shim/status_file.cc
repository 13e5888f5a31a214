#include "local/shim/status_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "kml/base/system_calls.h"
#include "local/shim/pod_folder.h"

namespace kml::local {

AppendFile::AppendFile(const std::filesystem::path& path)
    : fd_(open_pod_file(path, O_WRONLY | O_CREAT | O_APPEND, 0600)) {
  struct stat info {};
  if (fd_ && ::fstat(fd_.get(), &info) == 0) size_ = static_cast<uint64_t>(info.st_size);
}

bool AppendFile::append(std::string_view text) {
  if (!fd_) return false;
  if (!write_whole(fd_.get(), text)) {
    cut_to(size_);
    return false;
  }
  size_ += text.size();
  return true;
}

bool AppendFile::keep(uint64_t bytes) {
  return keep_space(fd_.get(), bytes);
}

void AppendFile::clear() {
  cut_to(0);
  size_ = 0;
}

void AppendFile::cut_to(uint64_t size) {
  [[maybe_unused]] int ignored = ::ftruncate(fd_.get(), static_cast<off_t>(size));
}

namespace {

// Limits the file, because a container may crash repeatedly for weeks and must not fill the disk.
constexpr uint64_t kLongest = 64 << 10;

}  // namespace

bool StatusFile::write(const Json& status) {
  if (!file_) file_ = AppendFile(path_);
  if (file_.size() > kLongest && !last_.empty()) shorten();
  std::string line = compact_text(status) + "\n";
  if (!file_.append(line)) return false;
  last_ = std::move(line);
  keep_room();
  return true;
}

/// Reserves space, because the pod's end must be reported on a full disk, too. As long as the file is short,
/// its first block has this space.
void StatusFile::keep_room() {
  constexpr uint64_t kRoom = 2048, kBlock = 4096;
  const uint64_t needed = (file_.size() + kRoom + kBlock - 1) / kBlock * kBlock;
  if (needed > std::max(kept_, kBlock) && file_.keep(needed)) kept_ = needed;
}

/// Replaces the file by its last line, so that at any moment a file with that line exists. If the disk is
/// full, keeps the long file.
void StatusFile::shorten() {
  const std::string shorter = path_.string() + ".shorter";
  AppendFile file(shorter);
  file.clear();  // a shim that was killed may have left it
  if (file.append(last_) && ::rename(shorter.c_str(), path_.c_str()) == 0) {
    file_ = std::move(file);
    kept_ = 0;
  } else {
    ::unlink(shorter.c_str());
  }
}

namespace {

/// The last complete line of the file; empty if it has none.
std::string last_line(const PodFolder& folder) {
  const std::optional<std::string> text = read_pod_file(folder.status());
  const size_t end = text ? text->rfind('\n') : std::string::npos;
  if (end == std::string::npos) return {};
  const size_t before = end == 0 ? std::string::npos : text->rfind('\n', end - 1);
  const size_t begin = before == std::string::npos ? 0 : before + 1;
  return text->substr(begin, end - begin);
}

Json status_in(const std::string& line) {
  return Json::parse(line, nullptr, /*allow_exceptions=*/false);
}

}  // namespace

std::optional<Json> read_status(const PodFolder& folder) {
  Json status = status_in(last_line(folder));
  return status.is_object() ? std::optional(std::move(status)) : std::nullopt;
}

bool has_broken_status(const PodFolder& folder) {
  const std::string line = last_line(folder);
  return !line.empty() && !status_in(line).is_object();
}

}  // namespace kml::local
