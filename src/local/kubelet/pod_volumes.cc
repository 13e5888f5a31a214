#include "local/kubelet/pod_volumes.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "kml/api/quantity.h"
#include "kml/core/error.h"
#include "kml/core/text.h"
#include "local/kubelet/pod_environment.h"
#include "local/store/object.h"

namespace kml::local {

namespace fs = std::filesystem;

namespace {

/// A path below a volume, which must not lead out of it.
std::string below(const fs::path& folder, const std::string& sub_path) {
  const std::vector<std::string> parts = split(sub_path, '/');
  if (sub_path.starts_with("/") || std::find(parts.begin(), parts.end(), "..") != parts.end())
    throw config_error(fmt::format("\"{}\" must be a relative path without \"..\"", sub_path));
  return folder / sub_path;
}

const Json* find_volume(const Json& pod, const std::string& name) {
  for (const Json& volume : array_at(pod, {"spec", "volumes"}))
    if (string_at(volume, {"name"}) == name) return &volume;
  return nullptr;
}

/// Below the state folder, which is closed to others. Programs that are not root's use it, too, where root
/// runs the server.
void make_volume_folder(const fs::path& path) {
  const bool is_new = !fs::exists(path);
  make_private_folder(path);
  if (is_new && ::geteuid() == 0) ::chmod(path.c_str(), 0777);
}

/// v1.HostPathType.
void check_host_path(const std::string& path, const std::string& type) {
  if (type == "DirectoryOrCreate" && !fs::exists(path)) make_private_folder(path);
  if (type == "FileOrCreate" && !fs::exists(path)) write_file_atomically(path, "", 0644);
  if (!fs::exists(path)) throw config_error(fmt::format("hostPath \"{}\" does not exist", path));
  const bool fits = type.starts_with("Directory") ? fs::is_directory(path)
                    : type.starts_with("File")    ? fs::is_regular_file(path)
                    : type == "Socket"            ? fs::is_socket(path)
                    : type == "CharDevice"        ? fs::is_character_file(path)
                    : type == "BlockDevice"       ? fs::is_block_file(path)
                                                  : true;
  if (!fits) throw config_error(fmt::format("hostPath type check failed: {} is not a {}", path, type));
}

}  // namespace

PodVolumes::PodVolumes(const Json& pod, const Store& store, const fs::path& state_folder,
                       const PodFolder& folder)
    : pod_(pod), store_(store), state_folder_(state_folder), folder_(folder) {}

std::vector<Mount> PodVolumes::mounts_of(const Json& container) const {
  std::vector<Mount> mounts;
  for (const Json& json : array_at(container, {"volumeMounts"})) {
    const std::string name = string_at(json, {"name"});
    const Json* volume = find_volume(pod_, name);
    if (!volume) throw config_error(fmt::format("volume \"{}\" not found", name));
    const Source source = prepare(*volume);
    Mount mount{source.what, source.path, string_at(json, {"mountPath"}),
                source.read_only || bool_at(json, {"readOnly"}), source.memory_size};
    if (std::string sub_path = string_at(json, {"subPath"}); !sub_path.empty() && !source.memory) {
      mount.source = below(source.path, sub_path);
      if (!fs::exists(mount.source)) make_private_folder(mount.source);
    }
    mounts.push_back(std::move(mount));
  }
  return mounts;
}

PodVolumes::Source PodVolumes::prepare(const Json& volume) const {
  if (const Json* reference = find(volume, {"persistentVolumeClaim"})) {
    const std::string claim = string_at(*reference, {"claimName"});
    if (!store_.get(kinds::claim, namespace_of(pod_), claim))
      throw config_error(fmt::format("persistentvolumeclaim \"{}\" not found", claim));
    const fs::path folder = state_folder_ / "volumes" / namespace_of(pod_) / claim;
    make_volume_folder(folder);
    return {fmt::format("claim \"{}\"", claim), folder, false, "", bool_at(*reference, {"readOnly"})};
  }
  if (const Json* host = find(volume, {"hostPath"})) {
    const std::string path = string_at(*host, {"path"}), type = string_at(*host, {"type"});
    check_host_path(path, type);
    return {fmt::format("host folder \"{}\"", path), path};
  }
  if (volume.contains("emptyDir")) return prepare_empty(volume);
  if (volume.contains("secret") || volume.contains("configMap")) return prepare_files(volume);
  throw config_error(
      fmt::format("volume \"{}\" is of a kind that the local server does not have; it has "
                  "persistentVolumeClaim, hostPath, emptyDir, secret and configMap",
                  string_at(volume, {"name"})));
}

PodVolumes::Source PodVolumes::prepare_empty(const Json& volume) const {
  const std::string name = string_at(volume, {"name"}), what = fmt::format("volume \"{}\"", name);
  // Memory is mounted by each container for itself, so a volume that several share lies on the disk.
  size_t users = 0;
  for (const char* group : {"initContainers", "containers"})
    for (const Json& container : array_at(pod_, {"spec", group}))
      for (const Json& mount : array_at(container, {"volumeMounts"}))
        users += string_at(mount, {"name"}) == name;
  if (string_at(volume, {"emptyDir", "medium"}) == "Memory" && users == 1) {
    const auto limit = api::quantity_units(string_at(volume, {"emptyDir", "sizeLimit"}));
    return {what, "", true, limit ? std::to_string(*limit) : ""};
  }
  make_volume_folder(folder_.volumes() / name);
  return {what, folder_.volumes() / name};
}

PodVolumes::Source PodVolumes::prepare_files(const Json& volume) const {
  const bool secret = volume.contains("secret");
  const Json& source = secret ? volume["secret"] : volume["configMap"];
  const std::string name = string_at(source, {secret ? "secretName" : "name"});
  const api::ResourceKind& kind = secret ? kinds::secret : kinds::config_map;
  const std::string what = fmt::format("{} \"{}\"", kind.singular, name);
  const fs::path folder = folder_.volumes() / string_at(volume, {"name"});
  make_volume_folder(folder);
  ObjectPtr object = store_.get(kind, namespace_of(pod_), name);
  if (!object && !bool_at(source, {"optional"}))
    throw config_error(fmt::format("{} \"{}\" not found", kind.singular, name));
  if (!object) return {what, folder};

  const Environment entries = entries_of(*object);
  const int mode = static_cast<int>(int_at(source, {"defaultMode"}, 0644));
  auto write = [&](const std::string& key, const std::string& path, int file_mode) {
    const fs::path file = below(folder, path);
    make_private_folder(file.parent_path());
    write_file_atomically(file, entries.at(key), 0600);
    ::chmod(file.c_str(), static_cast<mode_t>(file_mode));  // what umask(2) does not touch
  };
  if (!source.contains("items"))
    for (const auto& [key, value] : entries) write(key, key, mode);
  for (const Json& item : array_at(source, {"items"})) {
    const std::string key = string_at(item, {"key"});
    if (!entries.contains(key))
      throw config_error(fmt::format("references non-existent {} key: {}", kind.singular, key));
    write(key, string_at(item, {"path"}), static_cast<int>(int_at(item, {"mode"}, mode)));
  }
  return {what, folder, false, "", true};
}

}  // namespace kml::local
