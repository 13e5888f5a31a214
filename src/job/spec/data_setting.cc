#include "job/spec/data_setting.h"

#include <string_view>

#include "job/spec/values.h"

namespace kml::spec {

namespace {

/// The path in SOURCE:/path; empty if there is none. The ":/" of "https://" does not begin a path.
std::string path_of_data(std::string_view value) {
  const size_t colon = value.rfind(":/");
  if (colon == std::string_view::npos || value.substr(colon).starts_with("://")) return {};
  return plain_mount_path(value.substr(colon + 1));
}

}  // namespace

std::string apply_data(SubmitSpec& spec, const Setting& setting) {
  if (setting.value.empty()) {
    spec.data.clear();
    spec.data_origins.clear();
    return {};
  }
  const std::string path = path_of_data(setting.value);
  for (size_t i = spec.data.size(); i-- > 0;) {
    if (path.empty() || path_of_data(spec.data[i]) != path) continue;
    if (have_same_source(spec.data_origins[i], setting.origin)) return path + " is the path of two sources";
    spec.data.erase(spec.data.begin() + static_cast<std::ptrdiff_t>(i));
    spec.data_origins.erase(spec.data_origins.begin() + static_cast<std::ptrdiff_t>(i));
  }
  spec.data.push_back(setting.value);
  spec.data_origins.push_back(setting.origin);
  return {};
}

}  // namespace kml::spec
