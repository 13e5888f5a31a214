#include "kml/job/render/render.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "job/render/workload.h"
#include "job/spec/json_path.h"
#include "kml/base/files.h"
#include "kml/base/package.h"
#include "kml/base/text.h"
#include "kml/base/yaml.h"
#include "kml/job/render/problems.h"
#include "kml/kube/objects/field_types.h"
#include "kml/kube/objects/resource.h"

namespace fs = std::filesystem;

namespace kml::render {

namespace {

/// Checks only the metadata that kml itself reads and writes; the server checks the rest.
void check_metadata(const Json& object, const yaml::Node& node, const std::string& start,
                    Problems& problems) {
  const auto check = [&](const Json& owner, std::vector<std::string> steps, bool is_text) {
    const std::string& key = steps.back();
    if (!owner.contains(key) || owner[key].is_null()) return;
    if (is_text ? !owner[key].is_string() : !owner[key].is_object())
      problems.add(yaml::mark_at(node, steps, false), start + join(steps, "."),
                   is_text ? "this must be a string: quote it" : "this must be a mapping");
  };
  check(object, {"metadata"}, false);
  const Json& metadata = object_at(object, {"metadata"});
  for (const char* key : {"name", "generateName", "namespace"}) check(metadata, {"metadata", key}, true);
  for (const char* key : {"labels", "annotations"}) check(metadata, {"metadata", key}, false);
}

/// The objects in the texts, and the problems found in them.
struct Reading {
  std::vector<Json> objects;
  Problems problems;
  bool are_fields_checked;
  bool has_faults = false;  ///< some fields or their values are wrong
  Remarks remarks = {};
};

void note_if_unnamed(const Json& object, const yaml::Node& node, const std::string& start,
                     const std::string& file, Reading& reading) {
  const Json& metadata = object_at(object, {"metadata"});
  if (!string_at(metadata, {"name"}).empty() || !string_at(metadata, {"generateName"}).empty()) return;
  const yaml::Mark mark = yaml::mark_at(node, {"metadata"}, true);
  const bool has_metadata = node.find("metadata") != nullptr;
  reading.remarks.unnamed.push_back({reading.objects.size(),
                                     {file, mark.line, mark.column, start + "metadata",
                                      has_metadata ? "add \"name: NAME\" to it, or \"generateName: NAME-\""
                                                   : "is missing: add \"metadata: {name: NAME}\""}});
}

/// The value at the steps, which are keys and indexes; nullptr if it is missing.
const yaml::Node* value_at(const yaml::Node& object, const std::vector<std::string>& steps) {
  const yaml::Node* node = &object;
  for (const std::string& step : steps) {
    const yaml::Node* below = node->find(step);
    const std::optional<int> index = below ? std::nullopt : whole_number(step);
    if (index && static_cast<size_t>(*index) < node->items.size()) below = &node->items[*index];
    if (!below) return nullptr;
    node = below;
  }
  return node;
}

/// The fault's text. A text that asks for quotes shows the value as the user typed it: 010, not 8, the number
/// that YAML reads.
std::string with_typed_text(const api::FieldFault& fault, const yaml::Node& object) {
  constexpr std::string_view kQuote = "this must be a string: write ";
  const yaml::Node* value = fault.text.starts_with(kQuote) ? value_at(object, fault.steps) : nullptr;
  if (!value || value->kind != yaml::Kind::scalar) return fault.text;
  return std::string(kQuote) + "\"" + value->text + "\"";
}

/// What to do with a file that is meant for another command of kml; empty for all other files.
std::string meant_for(const Json& object) {
  const std::string kind = string_at(object, {"kind"});
  const auto has = [&](const char* key) { return object.contains(key); };
  const bool is_own = string_at(object, {"apiVersion"}).starts_with("kml.dev/");
  if ((is_own && kind == "Sweep") || (kind.empty() && has("method") && has("parameters")))
    return "a sweep: run it with `kml sweep run -f FILE`";
  if ((is_own && kind == "Pipeline") || (kind.empty() && has("pipelineInfo")))
    return "a pipeline: run it with `kml run FILE`";
  return {};
}

std::vector<std::string> texts_of(const spec::JsonPath& path) {
  std::vector<std::string> texts;
  for (const spec::Step& step : path) {
    const auto* index = std::get_if<size_t>(&step);
    texts.push_back(index ? std::to_string(*index) : std::get<std::string>(step));
  }
  return texts;
}

/// The faults in the pod templates of a kind whose other fields kml does not know.
std::vector<api::FieldFault> faults_of_pods(const Json& object) {
  std::vector<api::FieldFault> all;
  if (string_at(object, {"kind"}) == "TrainJob") return all;  // it has only parts of a template
  for (const PodGroup& group : pod_groups_of(object)) {
    const auto path = spec::parse_path(group.path);
    const Json* pod_template = path && !group.is_spec ? spec::find(object, *path) : nullptr;
    if (!pod_template || !pod_template->is_object()) continue;
    for (api::FieldFault& fault : api::faults_of_pod_template(*pod_template)) {
      std::vector<std::string> steps = texts_of(*path);
      steps.insert(steps.end(), fault.steps.begin(), fault.steps.end());
      all.push_back({std::move(steps), group.path + "." + fault.path, fault.text, fault.is_key, true});
    }
  }
  return all;
}

std::vector<api::FieldFault> faults_of(const api::ResourceKind* kind, const Json& object) {
  return kind && api::has_field_types(*kind) ? api::field_faults(*kind, object) : faults_of_pods(object);
}

/// Adds the object or, if it is a `List`, its items, provided that each has an apiVersion and a kind.
void add_object(Json object, const yaml::Node& node, const std::string& path, Problems& problems,
                Reading& reading) {
  const std::string kind = string_at(object, {"kind"});
  const std::string start = path.empty() ? path : path + ".";
  if (!object.is_object())
    return problems.add(node.mark, path, "not a Kubernetes object: it is not a mapping");
  if (const std::string command = meant_for(object); !command.empty())
    return problems.add(node.mark, path, "not a Kubernetes object, but " + command);
  for (const char* key : {"apiVersion", "kind"}) {
    if (object.contains(key) && !object[key].is_string())
      return problems.add(yaml::mark_at(node, {key}, false), start + key, "this must be a string");
    if (string_at(object, {key}).empty())
      return problems.add(node.mark, path, std::string("not a Kubernetes object: it has no ") + key);
  }
  if (reading.are_fields_checked && !kind.ends_with("List"))
    if (const auto fault = api::kind_fault(object)) {
      problems.add(yaml::mark_at(node, fault->steps, false), start + fault->path, fault->text);
      reading.has_faults = true;
      return;
    }
  if (!kind.ends_with("List") || !object.contains("items")) {
    const api::ResourceKind* known = api::kind_of(object);
    if (!known || !reading.are_fields_checked || !api::has_field_types(*known))
      check_metadata(object, node, start, problems);
    const std::vector<api::FieldFault> faults =
        reading.are_fields_checked ? faults_of(known, object) : std::vector<api::FieldFault>();
    for (const api::FieldFault& fault : faults) {
      const yaml::Mark mark = yaml::mark_at(node, fault.steps, fault.is_key);
      if (fault.may_be_newer) {
        reading.remarks.unknown.push_back(
            {reading.objects.size(),
             {problems.file(), mark.line, mark.column, start + fault.path, fault.text}});
        continue;
      }
      problems.add(mark, start + fault.path, with_typed_text(fault, node));
      reading.has_faults = true;
    }
    note_if_unnamed(object, node, start, problems.file(), reading);
    return reading.objects.push_back(std::move(object));
  }
  const yaml::Node* items = node.find("items");
  if (!items || !object["items"].is_array())
    return problems.add(node.mark, start + "items", "the field items of a List must be a list");
  // The items in a typed list, such as a response from an API server, do not repeat their kind.
  const std::string item_kind = kind == "List" ? "" : kind.substr(0, kind.size() - 4);
  for (Json& item : object["items"])
    if (item.is_object() && !item_kind.empty() && !item.contains("kind") && !item.contains("apiVersion"))
      item.update({{"apiVersion", object["apiVersion"]}, {"kind", item_kind}});
  for (size_t i = 0; i < object["items"].size(); ++i)
    add_object(std::move(object["items"][i]), items->items.at(i), start + "items[" + std::to_string(i) + "]",
               problems, reading);
}

void add_text(std::string_view text, const std::string& source, Reading& reading) {
  try {
    const std::optional<std::string> unpacked = unpacked_package(text, source);
    for (const yaml::Node& document : yaml::parse(unpacked ? *unpacked : text, source)) {
      if (document.kind == yaml::Kind::null) continue;
      Problems of_document(source);
      add_object(yaml::to_json(document, source), document, "", of_document, reading);
      reading.problems.add_all(of_document);
    }
  } catch (const Error& error) {
    reading.problems.add(error, {}, {});
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
  Reading reading{{}, Problems{std::string(source)}, false};
  add_text(text, std::string(source), reading);
  reading.problems.raise("cannot read the manifests");
  return std::move(reading.objects);
}

std::vector<Json> load_manifests(std::span<const std::string> paths, std::string_view stdin_text,
                                 bool check_fields, Remarks* remarks) {
  Reading reading{{}, Problems(""), check_fields};
  for (const std::string& path : paths) {
    if (path == "-") {
      add_text(stdin_text, "standard input", reading);
      continue;
    }
    for (const std::string& file : files_of(path)) add_text(read_file(file), file, reading);
  }
  if (reading.has_faults)
    for (const Remark& remark : reading.remarks.unknown) reading.problems.add(remark.problem);
  reading.problems.raise("cannot read the manifests",
                         reading.has_faults ? "correct it, or use --no-check if the cluster knows it" : "");
  if (reading.objects.empty()) {
    std::vector<std::string> names(paths.begin(), paths.end());
    std::replace(names.begin(), names.end(), std::string("-"), std::string("standard input"));
    throw usage_error(join(names, ", ") + (names.size() == 1 ? " contains" : " contain") + " no objects", "",
                      "`kml submit --dry-run -- COMMAND` prints a manifest to start from");
  }
  if (remarks) *remarks = std::move(reading.remarks);
  return std::move(reading.objects);
}

}  // namespace kml::render
