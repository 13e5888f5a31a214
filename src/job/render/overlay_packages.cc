#include "job/render/overlay.h"
#include "kml/base/error.h"
#include "kml/job/render/render.h"
#include "kml/kube/objects/container.h"

namespace kml::render {

namespace {

constexpr const char* kFolder = "/kml/packages";
constexpr const char* kStoreVolume = "kml-environments";

/// Runs in_pod.py, which runs the command. "$1" is the Python.
constexpr const char* kStart =
    R"(command -v "$1" >/dev/null || {
  why="the image has no $1, which --uv, --requirements and --conda need"
  echo "kml: $why" >&2; echo "$why" 2>/dev/null >/dev/termination-log; exit 125; }
python=$1; shift; exec "$python" -I -S /kml/packages/in_pod.py "$@")";

constexpr const char* kMark = "kml-packages";  // also the name of the volume with the Secret
/// How many words precede the command: sh -c START MARK PYTHON STORE IMAGE.
constexpr size_t kWords = 7, kPython = 4, kStorePath = 5, kImage = 6;

Json volume_of_store(const std::optional<spec::Mount>& store) {
  if (!store) return {{"emptyDir", Json::object()}};
  if (store->kind == spec::Mount::Kind::pvc)
    return {{"persistentVolumeClaim", {{"claimName", store->source}}}};
  return {{"hostPath", {{"path", store->source}, {"type", "DirectoryOrCreate"}}}};
}

}  // namespace

Json words_before_command(const Json& container) {
  const Json& words = api::command_of(container);
  constexpr size_t kMarkAt = 3;
  Json before = Json::array();
  if (words.size() >= kWords && words[kMarkAt] == kMark)
    for (size_t i = 0; i < kWords; ++i) before.push_back(words[i]);
  return before;
}

namespace {

Json mount_of_store(const std::optional<spec::Mount>& store, const std::string& path, Json& pod) {
  Json mount = {{"name", volume_for(volume_of_store(store), kStoreVolume, true, pod)}, {"mountPath", path}};
  if (store && !store->sub_path.empty()) mount["subPath"] = store->sub_path;
  return mount;
}

/// Gives the new packages to a container that already has packages: a rerun may name another list.
void replace_packages(const spec::Packages& packages, Json& pod, Json& container) {
  Json& words = container["command"];
  words[kPython] = packages.interpreter;
  for (Json& volume : pod["volumes"])
    if (string_at(volume, {"name"}) == kMark) volume["secret"]["secretName"] = packages.secret_object;
  if (!packages.store) return;
  for (Json& mount : container["volumeMounts"])
    if (string_at(mount, {"mountPath"}) == words[kStorePath])
      mount = mount_of_store(packages.store, packages.store->path, pod);
  words[kStorePath] = packages.store->path;
}

}  // namespace

void overlay_packages(const spec::SubmitSpec& spec, Json& pod, Json& container) {
  const spec::Packages& packages = spec.packages;
  if (!words_before_command(container).empty()) {
    container["command"][kImage] = api::image_of(container);
    if (!packages.secret_object.empty()) replace_packages(packages, pod, container);
    return;
  }
  if (packages.secret_object.empty()) return;
  if (api::command_of(container).empty())
    throw usage_error("--uv, --requirements and --conda need a command",
                      "kml runs the command in the environment, but does not know the image's own command",
                      "write it after \"--\"");
  const std::string path = packages.store ? packages.store->path : std::string(kEnvironmentsFolder);
  Json words = {"sh", "-c", kStart, kMark, packages.interpreter, path, api::image_of(container)};
  for (const char* part : {"command", "args"})
    for (const Json& word : array_at(container, {part})) words.push_back(word);
  container["command"] = std::move(words);
  container.erase("args");
  Json& mounts = container["volumeMounts"];
  pod["volumes"].push_back({{"name", kMark}, {"secret", {{"secretName", packages.secret_object}}}});
  mounts.push_back({{"name", kMark}, {"mountPath", kFolder}, {"readOnly", true}});
  mounts.push_back(mount_of_store(packages.store, path, pod));
}

}  // namespace kml::render
