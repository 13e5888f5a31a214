#include "kml/tracking/runs/mlflow_names.h"

#include <optional>
#include <string_view>

#include "kml/base/files.h"
#include "kml/base/text.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "kml/tracking/runs/mlflow_folder.h"

namespace kml::tracking {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kModule = R"py("""For kml submit --track mlflow. Made by kml.

MLflow's file store keeps each metric in a file that has the metric's name, so it cannot store both val and val/acc. This
store adds "_" to the name that comes later. FOLDER.names has a line for each changed name, with the name's file.
"""

import os


def make_store(store_uri, **_):
    from mlflow.store.tracking.file_store import FileStore

    class Store(FileStore):
        pass

    for kind in ("metric", "param", "tag", "model_metric", "model_param", "model_tag"):
        name = "_get_%s_path" % kind
        if hasattr(FileStore, name):
            setattr(Store, name, _with_free_name(getattr(FileStore, name)))
    return Store(store_uri, store_uri)


def _with_free_name(path_of):
    def free_path_of(*values, **named):
        path = path_of(*values, **named)
        key = [*values, *named.values()][-1]
        if not isinstance(key, str) or not path.endswith("/" + key):
            return path
        folder = path[: -len(key) - 1]
        return os.path.join(folder, _free_name(folder, key))

    return free_path_of


def _free_name(folder, key):
    names = {}
    if os.path.isfile(folder + ".names"):
        with open(folder + ".names", encoding="utf-8") as lines:
            names = dict(line.rstrip("\n").split("\t") for line in lines)
    for file, known in names.items():
        if known == key:
            return file
    *folders, last = key.split("/")
    at = ""
    for part in folders:
        while os.path.isfile(os.path.join(folder, at, part)):
            part += "_"
        at = os.path.join(at, part)
    file = os.path.join(at, last)
    while os.path.isdir(os.path.join(folder, file)) or file in names or (
        file != key and os.path.exists(os.path.join(folder, file))
    ):
        file += "_"
    if file != key:
        os.makedirs(os.path.dirname(folder), exist_ok=True)
        with open(folder + ".names", "a", encoding="utf-8") as lines:
            lines.write("%s\t%s\n" % (file, key))
    return file
)py";

/// Writes the module as an installed package, whose entry point MLflow's client finds
/// (mlflow/tracking/registry.py). Returns the folder.
fs::path write_module() {
  fs::path folder = state_folder() / "mlflow-names";
  const fs::path package = folder / "kml_mlflow_names-1.dist-info";
  const std::pair<fs::path, std::string_view> files[] = {
      {folder / "kml_mlflow_names.py", kModule},
      {package / "METADATA", "Metadata-Version: 2.1\nName: kml-mlflow-names\nVersion: 1\n"},
      {package / "entry_points.txt", "[mlflow.tracking_store]\nfile = kml_mlflow_names:make_store\n"},
  };
  make_private_folder(package);
  for (const auto& [path, content] : files)
    if (read_file_if_exists(path) != content) write_file_atomically(path, content, 0600);
  return folder;
}

/// Puts the folder at the front of a container's PYTHONPATH.
void put_in_path(const std::string& folder, const std::string& python_path, Json& container) {
  const auto with = [&](const std::string& rest) {
    return rest == folder || rest.starts_with(folder + ":") ? rest
                                                            : folder + (rest.empty() ? "" : ":" + rest);
  };
  Json& variables = api::part_in(container, "env");
  for (Json& variable : variables)
    if (api::entry_name(variable) == "PYTHONPATH") {
      if (variable.contains("value")) variable["value"] = with(string_at(variable, {"value"}));
      return;
    }
  variables.push_back({{"name", "PYTHONPATH"}, {"value", with(python_path)}});
}

}  // namespace

void add_mlflow_names(std::vector<Json>& objects, const std::string& python_path) {
  std::string folder;
  for (Json& object : objects) {
    if (!mlflow_folder_of(object)) continue;
    if (folder.empty()) folder = write_module().string();
    job::each_pod_template(object, [&](Json& pod, int) {
      for (Json& container : api::part_in(api::part_in(pod, "spec"), "containers"))
        put_in_path(folder, python_path, container);
    });
  }
}

std::map<std::string, std::string> mlflow_names_in(const fs::path& folder) {
  std::map<std::string, std::string> names;
  const fs::path file = folder.string() + ".names";
  std::error_code unreadable;
  if (!fs::is_regular_file(fs::symlink_status(file, unreadable))) return names;
  for (const std::string& line : split(read_file_if_exists(file).value_or(""), '\n'))
    if (const size_t tab = line.find('\t'); tab != std::string::npos)
      names[line.substr(0, tab)] = line.substr(tab + 1);
  return names;
}

}  // namespace kml::tracking
