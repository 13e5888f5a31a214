#include "step/record/mounts.h"

#include <string_view>

#include "step/say.h"

namespace kml::step {

namespace {

struct Mount {
  std::string device, root, path;
};

/// proc_pid_mountinfo(5): ID PARENT DEVICE ROOT PATH OPTIONS...; blanks in paths are written as \040.
Mount mount_in(std::string_view line) {
  std::string fields[5];
  for (std::string& field : fields) {
    const size_t end = std::min(line.find(' '), line.size());
    for (size_t i = 0; i < end; ++i)
      if (line[i] == '\\' && i + 3 < end) {
        field += static_cast<char>((line[i + 1] - '0') * 64 + (line[i + 2] - '0') * 8 + (line[i + 3] - '0'));
        i += 3;
      } else {
        field += line[i];
      }
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return {fields[2], fields[3], fields[4]};
}

bool is_in(const std::string& path, const std::string& folder) {
  return folder == "/" || path == folder || (path.starts_with(folder) && path[folder.size()] == '/');
}

/// The path below another folder; "" if the path is that folder.
std::string below(const std::string& path, const std::string& folder) {
  return folder == "/" ? path : path.substr(folder.size());
}

std::string joined(const std::string& folder, const std::string& rest) {
  const std::string path = folder == "/" ? rest : folder + rest;
  return path.empty() ? "/" : path;
}

}  // namespace

bool Mounts::find(const std::string& folder) {
  constexpr size_t kLongest = size_t{16} << 20;
  std::string text;
  if (!read_all("/proc/self/mountinfo", kLongest, text)) return false;
  std::vector<Mount> mounts;
  for (std::string_view rest = text; !rest.empty();) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    mounts.push_back(mount_in(rest.substr(0, end)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  const Mount* own = nullptr;  // of several mounts at one path, the last one is visible
  for (const Mount& mount : mounts)
    if (is_in(folder, mount.path) && (!own || mount.path.size() >= own->path.size())) own = &mount;
  if (!own) return false;
  folder_ = folder;
  in_files_ = joined(own->root, below(folder, own->path));
  for (const Mount& mount : mounts)
    if (&mount != own && mount.device == own->device &&
        (is_in(in_files_, mount.root) || is_in(mount.root, in_files_)))
      others_.emplace_back(mount.path, mount.root);
  return true;
}

std::string Mounts::name_of(const std::string& path) const {
  const auto name = [](const std::string& rest) { return rest.empty() ? std::string(".") : rest.substr(1); };
  if (is_in(path, folder_)) return name(below(path, folder_));
  for (const auto& [place, root] : others_) {
    if (!is_in(path, place)) continue;
    const std::string in_files = joined(root, below(path, place));
    if (is_in(in_files, in_files_)) return name(below(in_files, in_files_));
  }
  return {};
}

}  // namespace kml::step
