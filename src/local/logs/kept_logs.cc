#include "local/logs/kept_logs.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "kml/core/files.h"
#include "kml/core/text.h"
#include "local/api/api_error.h"
#include "local/shim/pod_folder.h"

namespace kml::local {

namespace fs = std::filesystem;

namespace {

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

KeptLogs::KeptLogs(const fs::path& pods_folder, const std::string& pod, const std::string& uid)
    : pod_(pod), folder_(pods_folder / uid / "logs") {
  // A uid, not a way to other folders.
  const bool is_uid = uid.find_first_not_of("0123456789abcdef-") == std::string::npos;
  const auto owner = is_uid ? read_pod_file(pods_folder / uid / "owner") : std::nullopt;
  if (!owner || !owner->ends_with("\n" + pod))
    throw api_error(404, "NotFound", fmt::format("no logs are kept of a pod {} with uid {}", pod, uid));
}

ContainerRun KeptLogs::choose_container(const std::string& asked, bool previous) const {
  const std::vector<std::string> names = names_in(folder_);
  if (asked.empty() && names.size() != 1)
    throw bad_request(fmt::format("a container name must be specified for pod {}, choose one of: [{}]", pod_,
                                  join(names, " ")));
  const std::string name = asked.empty() ? names[0] : asked;
  if (std::find(names.begin(), names.end(), name) == names.end())
    throw bad_request(fmt::format("container {} is not valid for pod {}", name, pod_));
  int last = 0;
  for (const std::string& file : names_in(folder_ / name)) last = std::max(last, std::atoi(file.c_str()));
  if (previous && last == 0)
    throw bad_request(
        fmt::format("previous terminated container \"{}\" in pod \"{}\" not found", name, pod_));
  return {name, previous ? last - 1 : last, true};
}

}  // namespace kml::local
