#include "local/shim/status_file.h"

namespace kml::local {

namespace {

// A container that crashes for weeks must not fill the disk.
constexpr uint64_t kLongest = 64 << 10;

}  // namespace

bool StatusFile::write(const Json& status) {
  if (!file_) file_ = AppendFile(path_);
  if (file_.size() > kLongest) file_.clear();
  return file_.append(status.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
}

std::optional<Json> read_status(const PodFolder& folder) {
  const std::optional<std::string> text = read_file_if_exists(folder.status());
  const size_t end = text ? text->rfind('\n') : std::string::npos;
  if (end == std::string::npos) return {};
  const size_t before = end == 0 ? std::string::npos : text->rfind('\n', end - 1);
  const size_t begin = before == std::string::npos ? 0 : before + 1;
  return parse_json(text->substr(begin, end - begin), folder.status().string());
}

}  // namespace kml::local
