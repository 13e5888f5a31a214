#include "job/packages/conda_file.h"

#include <fmt/format.h>

#include "kml/base/files.h"
#include "kml/base/text.h"
#include "kml/base/yaml.h"

namespace kml::packages {

namespace fs = std::filesystem;

namespace {

/// conda's own meaning of the channel "defaults", without its Windows part.
constexpr const char* kDefaults[] = {"https://repo.anaconda.com/pkgs/main",
                                     "https://repo.anaconda.com/pkgs/r"};

bool is_place(std::string_view channel) {
  return contains(channel, "://") || channel.starts_with('/') || channel.starts_with('.') ||
         channel.starts_with('~');
}

class CondaReader {
 public:
  CondaReader(Requested& to, const std::string& text) : to_(to), root_(yaml::parse_one(text, to.shown)) {}

  void read() {
    if (root_.kind != yaml::Kind::mapping) fail(root_, "must be a mapping with dependencies");
    for (const auto& [key, value] : root_.entries) take(key, value);
    if (to_.conda_packages.empty())
      fail(root_, "lists no conda packages",
           root_.find("package") ? "kml reads an environment.yml, not the lock of conda-lock or pixi" : "");
    if (to_.channels.empty()) to_.channels.assign(std::begin(kDefaults), std::end(kDefaults));
  }

 private:
  [[noreturn]] void fail(const yaml::Node& at, const std::string& what, const std::string& fix = "") const {
    Error error = usage_error("invalid " + to_.shown, "", fix);
    error.problems.push_back({to_.shown, at.mark.line, at.mark.column, "", what});
    throw error;
  }

  void add_power(const yaml::Node& at, std::string text) {
    to_.powers.push_back({to_.file, {to_.shown, at.mark.line, at.mark.column, "", std::move(text)}});
  }

  void take(const yaml::Node& key, const yaml::Node& value) {
    if (key.text == "channels")
      for (const yaml::Node& channel : items(value, "channels")) take_channel(channel);
    else if (key.text == "dependencies")
      for (const yaml::Node& package : items(value, "dependencies")) take_package(package);
    else if (key.text == "variables")
      fail(key, "kml does not set variables from this file", "use --env NAME=VALUE");
    else if (key.text != "name" && key.text != "prefix")
      to_.notes.push_back(
          fmt::format("{}:{}: \"{}\" is ignored, as conda ignores it", to_.shown, key.mark.line, key.text));
  }

  const std::vector<yaml::Node>& items(const yaml::Node& list, const char* name) const {
    if (list.kind != yaml::Kind::sequence && list.kind != yaml::Kind::null)
      fail(list, std::string(name) + " must be a list");
    return list.items;
  }

  const std::string& text_of(const yaml::Node& item) const {
    if (item.kind != yaml::Kind::scalar || trim(item.text).empty()) fail(item, "must be a string");
    return item.text;
  }

  void take_channel(const yaml::Node& channel) {
    const std::string& name = text_of(channel);
    if (name == "nodefaults") return;
    if (name == "defaults") {
      to_.channels.insert(to_.channels.end(), std::begin(kDefaults), std::end(kDefaults));
      return;
    }
    if (is_place(name)) add_power(channel, "it names the channel " + name);
    to_.channels.push_back(name);
  }

  void take_package(const yaml::Node& package) {
    if (package.kind != yaml::Kind::mapping) {
      const std::string& spec = text_of(package);
      if (is_place(spec) || contains(spec, "url=") || contains(spec, "channel="))
        add_power(package, "\"" + spec + "\" names where the package is");
      to_.conda_packages.push_back(spec);
      return;
    }
    for (const auto& [key, list] : package.entries) {
      if (key.text != "pip")
        fail(key, "\"" + key.text + "\" is not an installer that kml knows; kml knows only \"pip\"");
      for (const yaml::Node& requirement : items(list, "pip")) take_requirement(requirement);
    }
  }

  void take_requirement(const yaml::Node& requirement) {
    const std::string& text = text_of(requirement);
    if (text.starts_with('-'))
      fail(requirement, "options of pip are not supported here",
           "list the packages themselves; your own index belongs in ~/.config/uv/uv.toml");
    if (std::string power = power_in(text); !power.empty()) add_power(requirement, std::move(power));
    to_.requirements.push_back(text);
  }

  Requested& to_;
  yaml::Node root_;
};

}  // namespace

Requested read_conda_file(const fs::path& file, const std::string& shown) {
  constexpr size_t kLargestFile = size_t{4} << 20;
  Requested requested;
  requested.kind = Requested::Kind::conda;
  requested.file = file;
  requested.shown = shown;
  requested.text = read_file(file, kLargestFile);
  CondaReader(requested, requested.text).read();
  return requested;
}

}  // namespace kml::packages
