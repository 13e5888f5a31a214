#include "kml/render/render.h"

#include <algorithm>
#include <filesystem>

#include "kml/core/files.h"
#include "kml/core/yaml.h"
#include "render/problems.h"

namespace fs = std::filesystem;

namespace kml::render {

namespace {

/// What kml itself reads and writes; the rest is the server's to judge.
void check_metadata(const Json& object, yaml::Mark mark, const std::string& path, Problems& problems) {
  const auto check = [&](const Json& owner, const char* key, const std::string& shown, bool is_text) {
    if (!owner.contains(key) || owner[key].is_null()) return;
    if (is_text ? !owner[key].is_string() : !owner[key].is_object())
      problems.add(mark, path + shown,
                   is_text ? "this has to be text: quote it" : "this has to be a mapping");
  };
  check(object, "metadata", "metadata", false);
  const Json& metadata = object_at(object, {"metadata"});
  for (const char* key : {"name", "generateName", "namespace"})
    check(metadata, key, std::string("metadata.") + key, true);
  for (const char* key : {"labels", "annotations"})
    check(metadata, key, std::string("metadata.") + key, false);
}

/// The object, or those of a `List`, if each says what it is.
void add_object(Json object, yaml::Mark mark, const std::string& path, std::vector<Json>& objects,
                Problems& problems) {
  const std::string kind = string_at(object, {"kind"});
  for (const char* key : {"apiVersion", "kind"})
    if (string_at(object, {key}).empty())
      return problems.add(mark, path, std::string("not a Kubernetes object: it has no ") + key);
  if (!kind.ends_with("List") || !object.contains("items")) {
    check_metadata(object, mark, path.empty() ? path : path + ".", problems);
    return objects.push_back(std::move(object));
  }
  if (!object["items"].is_array())
    return problems.add(mark, path + "items", "the items of a list have to be a list");
  for (size_t i = 0; i < object["items"].size(); ++i)
    add_object(std::move(object["items"][i]), mark, "items[" + std::to_string(i) + "]", objects, problems);
}

void add_text(std::string_view text, const std::string& source, std::vector<Json>& objects,
              Problems& problems) {
  try {
    for (const yaml::Node& document : yaml::parse(text, source)) {
      if (document.kind == yaml::Kind::null) continue;
      Problems of_document(source);
      add_object(yaml::to_json(document, source), document.mark, "", objects, of_document);
      problems.add_all(of_document);
    }
  } catch (const Error& error) {
    problems.add(error, {}, {});
  }
}

std::vector<std::string> files_of(const std::string& path) {
  if (!fs::is_directory(path)) return {path};
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(path)) {
    const std::string extension = entry.path().extension();
    if (extension == ".yaml" || extension == ".yml" || extension == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

std::vector<Json> parse_manifests(std::string_view text, std::string_view source) {
  Problems problems{std::string(source)};
  std::vector<Json> objects;
  add_text(text, std::string(source), objects, problems);
  problems.raise("cannot read the manifests");
  return objects;
}

std::vector<Json> load_manifests(std::span<const std::string> paths, std::string_view stdin_text) {
  Problems problems("");
  std::vector<Json> objects;
  for (const std::string& path : paths) {
    if (path == "-") {
      add_text(stdin_text, "standard input", objects, problems);
      continue;
    }
    for (const std::string& file : files_of(path)) add_text(read_file(file), file, objects, problems);
  }
  problems.raise("cannot read the manifests");
  if (objects.empty()) throw usage_error("there is no object in what -f names");
  return objects;
}

}  // namespace kml::render
