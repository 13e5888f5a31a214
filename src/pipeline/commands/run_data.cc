#include "pipeline/commands/run_data.h"

#include "kml/base/error.h"
#include "kml/base/text.h"
#include "kml/job/spec/submit_spec.h"
#include "pipeline/commands/submit_data.h"

namespace kml::cli {

namespace {

/// The data of the step. The step's own setting takes precedence over the one in kml.yaml.
std::vector<std::string> data_of_step(const pipeline::Step& step,
                                      const std::vector<spec::Setting>& defaults) {
  std::vector<spec::Setting> settings;
  for (const spec::Setting& setting : defaults)
    if (setting.name == "data") settings.push_back(setting);
  if (const yaml::Node* own = step.settings.find("data")) {
    const std::vector<yaml::Node> single = {*own};
    for (const yaml::Node& each : own->kind == yaml::Kind::sequence ? own->items : single) {
      if (contains(each.text, "${"))
        throw usage_error("step " + step.name + ": data must not have placeholders",
                          "kml pins the versions of all data before the steps start",
                          "write the source itself");
      settings.push_back({"data", each.text, {spec::Source::builtin, {}}});
    }
  }
  return spec::parse_settings(settings, {}).data;
}

}  // namespace

std::string RunData::pinned(const std::string& text) {
  std::string& known = known_[text];
  if (known.empty()) known = pinned_data(context_, text);
  return known;
}

/// A pipeline file has the key `data` instead of the flag --data, so errors must not name the flag.
std::string RunData::pinned_of_step(const std::string& step, const std::string& text) try {
  return pinned(text);
} catch (const Error& error) {
  Error of_step = error;
  const bool names_flag = of_step.message.starts_with("--data");
  of_step.message = "step " + step + ": " + of_step.message.substr(names_flag ? 2 : 0);
  throw of_step;
}

pipeline::KeyParts RunData::parts_of(const pipeline::Step& step, const std::vector<spec::Setting>& defaults) {
  pipeline::KeyParts parts;
  for (const std::string& text : data_of_step(step, defaults)) {
    const std::string data = pinned_of_step(step.name, text);
    const size_t path = data.rfind(":/");
    parts["data " + data.substr(path + 1)] = data.substr(0, path);
  }
  return parts;
}

}  // namespace kml::cli
