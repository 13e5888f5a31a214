#include "job/render/mpi_env.h"

#include <algorithm>
#include <array>
#include <vector>

#include "kml/base/text.h"

namespace kml::render {

namespace {

/// A list of variables for Open MPI, which does not accept it together with -x.
constexpr const char* kEnvList = "OMPI_MCA_mca_base_env_list";

std::vector<std::string> names_to_pass(const spec::SubmitSpec& spec) {
  std::vector<std::string> names;
  for (const auto& [name, value] : spec.env)
    if (!name.starts_with("OMPI_")) names.push_back(name);
  for (const spec::SecretVariable& secret : spec.secrets) names.push_back(secret.name);
  return names;
}

bool starts_ranks(const Json& word) {
  constexpr std::array<std::string_view, 3> kStarters = {"mpirun", "mpiexec", "orterun"};
  if (!word.is_string()) return false;
  std::string_view name = word.get_ref<const std::string&>();
  name = name.substr(name.rfind('/') + 1);
  return std::find(kStarters.begin(), kStarters.end(), name) != kStarters.end();
}

bool any_contains(const Json& words, std::string_view text) {
  return std::any_of(words.begin(), words.end(), [&](const Json& word) {
    return word.is_string() && contains(word.get_ref<const std::string&>(), text);
  });
}

bool has_variable(const Json& container, std::string_view name) {
  const Json& variables = array_at(container, {"env"});
  return std::any_of(variables.begin(), variables.end(),
                     [&](const Json& variable) { return string_at(variable, {"name"}) == name; });
}

/// Whether the words pass this variable on: -x NAME or -x NAME=VALUE.
bool passes(const Json& words, const std::string& name) {
  bool is_next = false;
  for (const Json& word : words) {
    const std::string text = word.is_string() ? word.get<std::string>() : "";
    if (is_next && (text == name || text.starts_with(name + "="))) return true;
    is_next = text == "-x";
  }
  return false;
}

/// Adds -x for each name to the first mpirun of the command. Returns false if no word is mpirun.
bool add_flags(const std::vector<std::string>& names, Json& words) {
  const auto starter = std::find_if(words.begin(), words.end(), starts_ranks);
  if (starter == words.end()) return false;
  Json flags = Json::array();
  for (const std::string& name : names) {
    if (passes(words, name)) continue;
    flags.push_back("-x");
    flags.push_back(name);
  }
  words.insert(starter + 1, flags.begin(), flags.end());
  return true;
}

}  // namespace

namespace {

/// Passes the variables on, or returns a note about what is needed.
std::string pass_names(const std::vector<std::string>& names, Json& container) {
  if (names.empty()) return {};
  bool names_mpirun = false, passes_some = false;
  for (const char* part : {"command", "args"}) {
    const auto words = container.find(part);
    if (words == container.end() || !words->is_array()) continue;
    if (add_flags(names, *words)) return {};
    names_mpirun = names_mpirun || any_contains(*words, "mpirun") || any_contains(*words, "mpiexec");
    passes_some = passes_some || any_contains(*words, "-x ");
  }
  if (names_mpirun && !passes_some) {
    container["env"].push_back({{"name", kEnvList}, {"value", join(names, ";")}});
    return {};
  }
  return "the ranks get " + join(names, ", ") + " only if mpirun passes it on: mpirun -x " +
         join(names, " -x ");
}

/// The names of the variables in the Secrets of --env-from are unknown.
std::string note_on_secrets(const std::vector<std::string>& secrets) {
  if (secrets.empty()) return {};
  return "the ranks get the variables of --env-from " + join(secrets, ", ") +
         " only if mpirun passes each of them on: mpirun -x NAME";
}

}  // namespace

std::string pass_env_to_ranks(const spec::SubmitSpec& spec, Json& mpijob) {
  const std::string implementation = string_at(mpijob, {"spec", "mpiImplementation"});
  Json* containers = const_cast<Json*>(
      find(mpijob, {"spec", "mpiReplicaSpecs", "Launcher", "template", "spec", "containers"}));
  if ((!implementation.empty() && implementation != "OpenMPI") || !containers || !containers->is_array() ||
      containers->empty() || has_variable((*containers)[0], kEnvList))
    return {};
  const std::string note = pass_names(names_to_pass(spec), (*containers)[0]);
  const std::string more = note_on_secrets(spec.env_from);
  return note + (note.empty() || more.empty() ? "" : "; ") + more;
}

}  // namespace kml::render
