#include "spec/config_file.h"

#include <algorithm>

#include "kml/api/names.h"
#include "kml/core/text.h"
#include "kml/core/yaml.h"

namespace kml::spec {

namespace {

const Flag* flag_of_key(std::string_view key) {
  for (const Flag& flag : submit_flags())
    if (!flag.key.empty() && flag.key == key) return &flag;
  return nullptr;
}

std::vector<std::string> known_keys() {
  std::vector<std::string> keys(std::begin(kConfigKeys), std::end(kConfigKeys));
  for (const Flag& flag : submit_flags())
    if (!flag.key.empty()) keys.emplace_back(flag.key);
  return keys;
}

class Reader {
 public:
  Reader(const std::string& file, Source source, std::vector<Problem>& problems)
      : file_(file), source_(source), problems_(problems) {}

  std::vector<Setting> read(const yaml::Node& root) {
    if (root.kind == yaml::Kind::null) return {};
    if (root.kind != yaml::Kind::mapping) wrong(root, {}, "the file has to be a mapping");
    for (const yaml::Node::Entry& entry : root.entries) this->entry(entry);
    return std::move(settings_);
  }

 private:
  void entry(const yaml::Node::Entry& entry) {
    const std::string& key = entry.key.text;
    const bool is_own =
        std::find(std::begin(kConfigKeys), std::end(kConfigKeys), key) != std::end(kConfigKeys);
    const Flag* flag = flag_of_key(key);
    if (!is_own && !flag) {
      const std::string guess = did_you_mean(key, known_keys());
      wrong(entry.key, {},
            "unknown key \"" + key + "\"; " +
                (guess.empty() ? "known are " + join(known_keys(), ", ") : guess));
    } else if (flag && flag->is_map) {
      pairs(*flag, entry.value);
    } else if ((flag && flag->repeats) || key == "templates") {
      list(flag ? flag->name : key, key, entry.value);
    } else {
      scalar(flag ? flag->name : key, key, entry.value);
    }
  }

  void scalar(std::string_view name, const std::string& key, const yaml::Node& value) {
    if (value.kind != yaml::Kind::scalar)
      return wrong(value, key, "this has to be one value, not " + std::string(value.kind_name()));
    add(name, value.text, value.mark);
  }

  void list(std::string_view name, const std::string& key, const yaml::Node& value) {
    if (value.kind == yaml::Kind::scalar) return scalar(name, key, value);
    if (value.kind != yaml::Kind::sequence)
      return wrong(value, key, "this has to be a list, not " + std::string(value.kind_name()));
    for (const yaml::Node& item : value.items) scalar(name, key, item);
  }

  void pairs(const Flag& flag, const yaml::Node& value) {
    if (value.kind != yaml::Kind::mapping)
      return wrong(value, std::string(flag.key),
                   "this has to be a mapping, not " + std::string(value.kind_name()));
    for (const yaml::Node::Entry& pair : value.entries) {
      const bool is_plain = pair.value.kind == yaml::Kind::scalar || pair.value.kind == yaml::Kind::null;
      if (!is_plain && flag.name != "param") {
        wrong(pair.value, std::string(flag.key), "\"" + pair.key.text + "\" has to be one value");
        continue;
      }
      add(flag.name,
          pair.key.text + "=" + (is_plain ? pair.value.text : yaml::to_json(pair.value, file_).dump()),
          pair.value.mark);
    }
  }

  void add(std::string_view name, std::string value, yaml::Mark mark) {
    settings_.push_back({std::string(name), std::move(value), {source_, file_, mark.line, mark.column}});
  }

  void wrong(const yaml::Node& node, const std::string& path, std::string text) {
    problems_.push_back({file_, node.mark.line, node.mark.column, path, std::move(text)});
  }

  const std::string& file_;
  Source source_;
  std::vector<Problem>& problems_;
  std::vector<Setting> settings_;
};

}  // namespace

std::vector<Setting> read_config(std::string_view text, const std::string& file, Source source,
                                 std::vector<Problem>& problems) {
  try {
    return Reader(file, source, problems).read(yaml::parse_one(text, file, {.bytes = size_t{1} << 20}));
  } catch (const Error& error) {
    problems.insert(problems.end(), error.problems.begin(), error.problems.end());
    return {};
  }
}

std::string config_value_problem(const Setting& setting) {
  if (setting.value.empty()) return setting.name + " is empty";
  if (setting.name != "namespace") return {};
  const std::string problem = api::dns_label_problem(setting.value);
  return problem.empty() ? "" : "namespace \"" + setting.value + "\" " + problem;
}

}  // namespace kml::spec
