#include "kml/pipeline/engine/key.h"

#include <algorithm>
#include <set>

#include "kml/base/sha256.h"
#include "kml/base/text.h"
#include "kml/base/value_text.h"
#include "kml/job/render/evaluate.h"
#include "pipeline/engine/list_names.h"
#include "pipeline/engine/read_parts.h"

namespace kml::pipeline {

namespace {

/// Settings that are left out of a key: those that do not change what the command does, such as where the job
/// runs, how large it is and how it is labeled, and those that have their own parts in the key.
const std::set<std::string> kNoPart = {
    "gpus",        "cpu",         "memory",          "nodes",        "shm",   "node-selector",
    "tolerations", "priority",    "queue",           "time-limit",   "grace", "ttl",
    "labels",      "annotations", "service-account", "pull-secrets", "code",  "topology",
    "env-store",   "data",        "data-store"};

/// Adds a setting to the parts. Of an environment variable, only adds the digest of its value, because the
/// value may be secret.
void add_setting(const std::string& key, const yaml::Node& value, KeyParts& parts) {
  if (value.kind != yaml::Kind::mapping) {
    parts[key] = compact_text(yaml::to_json(value, {}));
    return;
  }
  const std::string name = key == "parameters" ? "template parameter" : key;
  for (const yaml::Node::Entry& entry : value.entries) {
    const std::string text = compact_text(yaml::to_json(entry.value, {}));
    parts[name + " " + entry.key.text] = key == "env" ? sha256_hex(text) : text;
  }
}

void add_parameters(const yaml::Node& body, const Json& params, const Json& item, KeyParts& parts) {
  render::each_placeholder(body, [&](const std::string& name, const yaml::Node&) {
    const std::vector<std::string> words = split(name, '.');
    if (words.size() > 1 && words[0] == "params" && params.contains(words[1]))
      parts["param " + words[1]] = compact_text(params[words[1]]);
    if (name == "run.scheduled" && params.contains(name)) parts[name] = compact_text(params[name]);
    if (words.size() > 1 && words[0] == "item" && item.contains(words[1]))
      parts["item " + words[1]] = compact_text(item[words[1]]);
  });
}

/// The identity of an input's content: the digest or the value; for a list, the digests or values of all
/// items.
std::string content_of(const Json& input) {
  if (input.is_array()) {
    Json all = Json::array();
    for (const Json& one : input) all.push_back(content_of(one));
    return compact_text(all);
  }
  return input.contains("digest") ? string_at(input, {"digest"}) : compact_text(as_written(input));
}

/// Calls `take` for each name whose text differs, with both texts. If a text is missing, it is nullptr.
template <typename Take>
void each_difference(const std::map<std::string, std::string>& before,
                     const std::map<std::string, std::string>& now, const Take& take) {
  for (const auto& [name, text] : before) {
    const auto there = now.find(name);
    if (there == now.end())
      take(name, &text, nullptr);
    else if (there->second != text)
      take(name, &text, &there->second);
  }
  for (const auto& [name, text] : now)
    if (!before.contains(name)) take(name, nullptr, &text);
}

std::string in_words(std::string name, const std::string* before, const std::string* now) {
  for (const std::string_view prefix : {"file ", kPackagesOf})
    if (name.starts_with(prefix)) name.erase(0, prefix.size());
  return shown_name(name) + (!before ? " added" : !now ? " removed" : " changed");
}

/// The text of a line; null if there is no line, or if the line says that the file does not exist.
const std::string* of_something(const std::string* line) {
  return line && *line != kMissing ? line : nullptr;
}

}  // namespace

std::map<std::string, std::string> lines_by_name(const std::string& list) {
  std::map<std::string, std::string> lines;
  for (const std::string& line : split(list, '\n')) {
    const size_t end = line.rfind('"');
    if (end == std::string::npos || end == 0) continue;
    if (const auto name = name_of_line(std::string_view(line).substr(0, end + 1)))
      lines[*name] = line.substr(end + 1);
  }
  return lines;
}

KeyParts parts_of(const Step& step, const Json& params, const Json& inputs) {
  KeyParts parts;
  if (step.program)
    step.program->add_to_key(inputs, parts);
  else
    parts["command"] = compact_text(yaml::to_json(step.command, {}));
  for (const yaml::Node::Entry& entry : step.settings.entries)
    if (!kNoPart.contains(entry.key.text)) {
      add_setting(entry.key.text, entry.value, parts);
      add_parameters(entry.value, params, step.item, parts);
    }
  add_parameters(step.command, params, step.item, parts);
  if (is_sweep(step)) parts["sweep"] = compact_text(yaml::to_json(step.sweep, {}));
  if (is_serve(step)) parts["serve"] = compact_text(yaml::to_json(step.serve, {}));
  for (const yaml::Node* own : {&step.sweep, &step.serve}) add_parameters(*own, params, step.item, parts);
  for (const char* part : {"env", "volumes", "volumeMounts"})
    if (const Json* texts = find(step.pod, {part})) parts["pod " + std::string(part)] = compact_text(*texts);
  for (const Input& input : step.inputs)
    if (inputs.contains(input.name)) parts["input " + input.name] = content_of(inputs.at(input.name));
  for (const Output& output : step.outputs)
    parts["output " + output.name] = std::string(name_of(output.kind)) + " " + output.metric +
                                     (output.path.empty() ? "" : " " + output.path);
  if (!step.salt.text.empty()) parts["cache.salt"] = step.salt.text;
  if (!step.program) add_parameters(step.salt, params, step.item, parts);
  return parts;
}

bool is_list_part(const std::string& part) {
  return part == "code" || part == "packages" || part == kReadPart;
}

std::string key_of(const KeyParts& parts) {
  return sha256_hex(compact_text(Json(parts)));
}

std::vector<std::string> changes(
    const KeyParts& before, const KeyParts& now,
    const std::function<std::optional<std::string>(const std::string& digest)>& list_of,
    const std::string& reader) {
  std::vector<std::string> texts;
  const auto add = [&](std::string text) {  // the command may name a file that is part of the code, too
    if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(std::move(text));
  };
  each_difference(before, now, [&](const std::string& name, const std::string* was, const std::string* is) {
    const bool is_list = is_list_part(name);
    const auto old_list = is_list && was ? list_of(*was) : std::nullopt;
    const auto new_list = is_list && is ? list_of(*is) : std::nullopt;
    if (old_list && new_list)
      each_difference(lines_by_name(*old_list), lines_by_name(*new_list),
                      [&](const std::string& line, const std::string* old_line, const std::string* new_line) {
                        std::string words = in_words(line, of_something(old_line), of_something(new_line));
                        if (name == kReadPart) words += " (read by " + reader + ")";
                        add(std::move(words));
                      });
    else if ((name.starts_with("param ") || name.starts_with("item ")) && was && is)
      add(name + ": " + *was + " -> " + *is);
    else
      add(in_words(name, was, is));
  });
  return texts;
}

}  // namespace kml::pipeline
