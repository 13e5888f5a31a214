#include <algorithm>

#include "sweep/spec/wandb.h"

namespace kml::sweep {

namespace {

/// Whether a container of the manifest gets the variable, or gets variables from a Secret or a ConfigMap,
/// whose names are not known here.
bool gets_variable(const Json& value, const std::string& name) {
  if (value.is_object()) {
    if (const auto list = value.find("env"); list != value.end() && list->is_array())
      for (const Json& variable : *list)
        if (string_at(variable, {"name"}) == name) return true;
    if (value.contains("envFrom")) return true;
  }
  return value.is_structured() &&
         std::any_of(value.begin(), value.end(), [&](const Json& part) { return gets_variable(part, name); });
}

}  // namespace

std::vector<std::string> notes_on_variables(const std::set<std::string>& variables, const Json& trial,
                                            const std::function<bool(const std::string&)>& is_set_here) {
  const std::set<std::string> of_each_container = {"HOME", "HOSTNAME", "PATH", "PWD"};
  std::vector<std::string> notes;
  for (const std::string& name : variables)
    if (!of_each_container.contains(name) && is_set_here(name) && !gets_variable(trial, name))
      notes.push_back(name + " is set here, but not in the trials, where ${envvar:" + name +
                      "} becomes the text " + name + "; --env " + name + " copies its value");
  return notes;
}

}  // namespace kml::sweep
