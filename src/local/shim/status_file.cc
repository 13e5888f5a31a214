#include "local/shim/status_file.h"

#include <unistd.h>

#include <cstdio>

namespace kml::local {

namespace {

// A container that crashes for weeks must not fill the disk.
constexpr uint64_t kLongest = 64 << 10;

}  // namespace

bool StatusFile::write(const Json& status) {
  if (!file_) file_ = AppendFile(path_);
  if (file_.size() > kLongest && !last_.empty()) shorten();
  std::string line = status.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  if (!file_.append(line)) return false;
  last_ = std::move(line);
  return true;
}

/// At each moment, a file with the last line is there. Where the disk is full, the long one stays.
void StatusFile::shorten() {
  const std::string shorter = path_.string() + ".shorter";
  AppendFile file(shorter);
  file.clear();  // one that a kill left behind
  if (file.append(last_) && ::rename(shorter.c_str(), path_.c_str()) == 0)
    file_ = std::move(file);
  else
    ::unlink(shorter.c_str());
}

namespace {

/// The last whole line; empty where there is none.
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
