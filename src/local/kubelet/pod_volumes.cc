#include "local/kubelet/pod_volumes.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "kml/base/error.h"
#include "kml/base/text.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "kml/kube/objects/quantity.h"
#include "local/kubelet/pod_environment.h"
#include "local/store/object.h"

namespace kml::local {

namespace fs = std::filesystem;

namespace {

/// A path in a volume. Throws Error if it leads out of the volume.
std::string below(const fs::path& folder, const std::string& sub_path) {
  const std::vector<std::string> parts = split(sub_path, '/');
  if (sub_path.starts_with("/") || std::find(parts.begin(), parts.end(), "..") != parts.end())
    throw config_error(fmt::format("\"{}\" must be a relative path without \"..\"", sub_path));
  return folder / sub_path;
}

bool is_read_only(const Json& mount_or_source) {
  return bool_at(mount_or_source, {"readOnly"});
}

const Json* find_volume(const Json& pod, const std::string& name) {
  for (const Json& volume : api::volumes_in(api::spec_of(pod)))
    if (api::entry_name(volume) == name) return &volume;
  return nullptr;
}

/// The folder is in the state folder, which other users cannot enter. But if the server runs as root,
/// programs of other users may use the volume, so all may write to it.
void make_volume_folder(const fs::path& path) {
  const bool is_new = !fs::exists(path);
  make_private_folder(path);
  if (is_new && ::geteuid() == 0) ::chmod(path.c_str(), 0777);
}

/// Creates or checks a hostPath as its type (v1.HostPathType) requires.
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
  for (const Json& json : api::mounts_of(container)) {
    const std::string name = api::entry_name(json);
    const Json* volume = find_volume(pod_, name);
    if (!volume) throw config_error(fmt::format("volume \"{}\" not found", name));
    const Source source = prepare(*volume);
    Mount mount{source.what, source.path, api::mount_path_of(json), source.read_only || is_read_only(json),
                source.memory_size};
    if (std::string sub_path = api::sub_path_of(json); !sub_path.empty() && !source.memory) {
      mount.source = below(source.path, sub_path);
      if (!fs::exists(mount.source)) make_private_folder(mount.source);
    }
    mounts.push_back(std::move(mount));
  }
  return mounts;
}

PodVolumes::Source PodVolumes::prepare(const Json& volume) const {
  if (const Json* reference = find(volume, {"persistentVolumeClaim"})) {
    const std::string claim = api::claim_name_of(volume);
    if (!store_.get(kinds::claim, namespace_of(pod_), claim))
      throw config_error(fmt::format("persistentvolumeclaim \"{}\" not found", claim));
    const fs::path folder = state_folder_ / "volumes" / namespace_of(pod_) / claim;
    make_volume_folder(folder);
    return {fmt::format("claim \"{}\"", claim), folder, false, "", is_read_only(*reference)};
  }
  if (const Json* host = find(volume, {"hostPath"})) {
    const std::string path = string_at(*host, {"path"}), type = string_at(*host, {"type"});
    check_host_path(path, type);
    return {fmt::format("host folder \"{}\"", path), path};
  }
  if (volume.contains("emptyDir")) return prepare_empty(volume);
  if (volume.contains("secret") || volume.contains("configMap")) return prepare_files(volume);
  if (volume.contains("projected")) return prepare_projected(volume);
  throw config_error(
      fmt::format("the embedded server does not support the kind of volume \"{}\"; it supports "
                  "persistentVolumeClaim, hostPath, emptyDir, secret, configMap and projected",
                  api::entry_name(volume)));
}

PodVolumes::Source PodVolumes::prepare_empty(const Json& volume) const {
  const std::string name = api::entry_name(volume), what = fmt::format("volume \"{}\"", name);
  // Counts the containers that use the volume. A volume in memory is mounted for each container separately,
  // so a volume that several containers share is kept on disk.
  size_t users = 0;
  api::visit_containers(api::spec_of(pod_), [&](const Json& container) {
    for (const Json& mount : api::mounts_of(container)) users += api::entry_name(mount) == name;
  });
  if (api::is_in_memory(volume) && users == 1) {
    const auto limit = api::quantity_units(string_at(volume, {"emptyDir", "sizeLimit"}));
    return {what, "", true, limit ? std::to_string(*limit) : ""};
  }
  make_volume_folder(folder_.volumes() / name);
  return {what, folder_.volumes() / name};
}

constexpr int kReadableByAll = 0644;

PodVolumes::Source PodVolumes::prepare_files(const Json& volume) const {
  const bool is_secret = volume.contains("secret");
  const Json& source = is_secret ? volume["secret"] : volume["configMap"];
  const std::string name = string_at(source, {is_secret ? "secretName" : "name"});
  const fs::path folder = folder_.volumes() / api::entry_name(volume);
  make_volume_folder(folder);
  write_entries(source, name, is_secret, static_cast<int>(int_at(source, {"defaultMode"}, kReadableByAll)),
                folder);
  return {fmt::format("{} \"{}\"", (is_secret ? kinds::secret : kinds::config_map).singular, name), folder,
          false, "", true};
}

PodVolumes::Source PodVolumes::prepare_projected(const Json& volume) const {
  const Json& projected = volume["projected"];
  const int mode = static_cast<int>(int_at(projected, {"defaultMode"}, kReadableByAll));
  const fs::path folder = folder_.volumes() / api::entry_name(volume);
  make_volume_folder(folder);
  for (const Json& source : array_at(projected, {"sources"}))
    for (const char* kind : {"secret", "configMap"})
      if (source.contains(kind))
        write_entries(source[kind], string_at(source, {kind, "name"}), std::string_view(kind) == "secret",
                      mode, folder);
  return {fmt::format("volume \"{}\"", api::entry_name(volume)), folder, false, "", true};
}

/// Writes the entries of a Secret or ConfigMap to which a volume refers.
void PodVolumes::write_entries(const Json& reference, const std::string& name, bool is_secret, int mode,
                               const fs::path& folder) const {
  const api::ResourceKind& kind = is_secret ? kinds::secret : kinds::config_map;
  ObjectPtr object = store_.get(kind, namespace_of(pod_), name);
  if (!object && !api::is_optional(reference))
    throw config_error(fmt::format("{} \"{}\" not found", kind.singular, name));
  if (!object) return;
  const Environment entries = entries_of(*object);
  auto write = [&](const std::string& key, const std::string& path, int file_mode) {
    const fs::path file = below(folder, path);
    make_private_folder(file.parent_path());
    write_file_atomically(file, entries.at(key), 0600);
    ::chmod(file.c_str(), static_cast<mode_t>(file_mode));  // sets the mode regardless of the umask
  };
  if (!reference.contains("items"))
    for (const auto& [key, value] : entries) write(key, key, mode);
  for (const Json& item : api::items_of(reference)) {
    const std::string key = api::key_of(item);
    if (!entries.contains(key))
      throw config_error(fmt::format("references non-existent {} key: {}", kind.singular, key));
    write(key, string_at(item, {"path"}), static_cast<int>(int_at(item, {"mode"}, mode)));
  }
}

}  // namespace kml::local
