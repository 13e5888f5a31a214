#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include "kml/base/value_text.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/object.h"
#include "kml/tracking/runs/tracked_run.h"

namespace kml::tracking {

namespace {

bool is_name(std::string_view word) {
  const auto fits = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '.' || c == '-'; };
  return !word.empty() && (std::isalpha(static_cast<unsigned char>(word[0])) || word[0] == '_') &&
         std::all_of(word.begin(), word.end(), fits);
}

/// The name and value ("lr", "0.1") in "--lr=0.1", "lr=0.1", and Hydra's "+lr=0.1".
std::optional<std::pair<std::string, std::string>> assignment_in(std::string_view word) {
  const size_t equals = word.find('=');
  if (equals == std::string_view::npos) return {};
  std::string_view name = word.substr(0, equals);
  name.remove_prefix(std::min(name.find_first_not_of("-+"), name.size()));
  if (!is_name(name)) return {};
  return std::pair(std::string(name), std::string(word.substr(equals + 1)));
}

/// Whether the word is a script, which follows a shell's or an interpreter's flag: "-c", "-lc", "-e".
bool is_script(std::string_view flag, std::string_view word) {
  const bool is_flag = flag.size() > 1 && flag[0] == '-' && flag[1] != '-';
  return is_flag && (flag.ends_with('c') || flag.ends_with('e')) &&
         word.find_first_of(" \n;(") != std::string_view::npos;
}

/// Variables that kml itself sets, and variables with the address to which a program logs.
const std::set<std::string, std::less<>> kOwnVariables = {
    "POD_NAME",  "NODE_NAME", "PYTHONUNBUFFERED", "MLFLOW_TRACKING_URI", "MLFLOW_ALLOW_FILE_STORE",
    "PYTHONPATH"};

}  // namespace

std::map<std::string, Json> parameters_of(const std::vector<std::string>& command, const Json& container) {
  std::map<std::string, Json> found;
  for (const Json& variable : array_at(container, {"env"})) {
    const std::string name = api::entry_name(variable);
    if (find(variable, {"value"}) && !kOwnVariables.contains(name) && !name.starts_with("KML_"))
      found["env." + name] = exact_value_of(string_at(variable, {"value"}));
  }
  for (size_t i = 1; i < command.size(); ++i) {
    const std::string& word = command[i];
    if (is_script(command[i - 1], word)) continue;
    if (const auto assignment = assignment_in(word)) {
      found[assignment->first] = exact_value_of(assignment->second);
    } else if (word.starts_with("--") && is_name(word.substr(2))) {
      const bool has_value = i + 1 < command.size() && !command[i + 1].starts_with("--");
      found[word.substr(2)] = has_value ? exact_value_of(command[i + 1]) : Json(true);
      if (has_value) ++i;
    }
  }
  return found;
}

}  // namespace kml::tracking
