#include <algorithm>
#include <limits>

#include "job/spec/agents_files.h"
#include "job/spec/conflicts.h"
#include "job/spec/data_setting.h"
#include "job/spec/json_path.h"
#include "job/spec/package_lists.h"
#include "job/spec/values.h"
#include "kml/base/agent.h"
#include "kml/base/flag_duration.h"
#include "kml/base/text.h"
#include "kml/base/yaml.h"
#include "kml/base/yaml_texts.h"
#include "kml/job/spec/submit_spec.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/names.h"
#include "kml/kube/objects/typed_amount.h"

namespace kml::spec {

namespace {

/// Stores a setting in the spec. Returns what is wrong with it, or an empty text.
using Apply = std::string (*)(SubmitSpec&, const Setting&);

std::string named(const std::string& name, std::string_view problem) {
  return problem.empty() ? "" : "\"" + name + "\" " + std::string(problem);
}

template <std::string SubmitSpec::*field, std::string (*check)(std::string_view)>
std::string apply_name(SubmitSpec& spec, const Setting& setting) {
  spec.*field = setting.value;
  return named(setting.value, check(setting.value));
}

template <std::vector<std::string> SubmitSpec::*field>
std::string apply_names(SubmitSpec& spec, const Setting& setting) {
  auto& names = spec.*field;
  if (std::find(names.begin(), names.end(), setting.value) == names.end()) names.push_back(setting.value);
  return named(setting.value, api::dns_subdomain_problem(setting.value));
}

template <std::string SubmitSpec::*field, std::string (*problem)(const std::string&)>
std::string apply_amount(SubmitSpec& spec, const Setting& setting) {
  spec.*field = setting.value;
  return named(setting.value, problem(setting.value));
}

template <std::optional<int> SubmitSpec::*field, int least>
std::string apply_count(SubmitSpec& spec, const Setting& setting) {
  auto count = parse_count(setting.value, least);
  if (auto* problem = std::get_if<std::string>(&count)) return *problem;
  spec.*field = std::get<int>(count);
  return {};
}

template <std::optional<seconds> SubmitSpec::*field, int least>
std::string apply_duration(SubmitSpec& spec, const Setting& setting) {
  const auto duration = typed_duration(setting.value);
  if (!duration) return named(setting.value, duration_problem(setting.value));
  if (*duration < seconds(least))
    return named(setting.value, "is too short; write at least " + std::to_string(least) + "s");
  if (*duration > seconds(std::numeric_limits<int32_t>::max())) return named(setting.value, "is too long");
  spec.*field = *duration;
  return {};
}

template <auto field, auto parse>
std::string apply_parsed(SubmitSpec& spec, const Setting& setting) {
  auto value = parse(setting.value);
  if (auto* problem = std::get_if<1>(&value)) return *problem;
  spec.*field = std::move(std::get<0>(value));
  return {};
}

/// kml finds jobs by these labels and annotations, so users must not set them.
bool is_own_mark(const std::string& key) {
  return key == api::kManagedBy || (key.starts_with("kml.dev/") && key != api::kGang);
}

/// Applies `NAME=VALUE`, or `NAME` with the value from kml's own environment.
std::string apply_env(SubmitSpec& spec, const Setting& setting) {
  const size_t equals = setting.value.find('=');
  const std::string name = setting.value.substr(0, equals);
  if (std::string problem = env_name_problem(name); !problem.empty()) return problem;
  const char* own = equals == std::string::npos ? variable_for_job(name) : nullptr;
  if (equals == std::string::npos && !own)
    return "your environment has no variable " + name + "; write " + name + "=VALUE, or export it first";
  spec.env[name] = own ? own : setting.value.substr(equals + 1);
  return is_utf8(spec.env[name]) ? "" : "the value of " + name + " is not UTF-8";
}

template <std::map<std::string, std::string> SubmitSpec::*field>
std::string apply_pair(SubmitSpec& spec, const Setting& setting) {
  auto [key, value] = key_and_value(setting.value);
  if (key.empty()) return named(setting.value, "is not of the form KEY=VALUE");
  (spec.*field)[key] = value;
  if (std::string problem = api::label_key_problem(key); !problem.empty()) return named(key, problem);
  if (field != &SubmitSpec::node_selector && is_own_mark(key)) return named(key, "is set by kml itself");
  if constexpr (field == &SubmitSpec::annotations) return {};
  return named(value, api::label_value_problem(value));
}

/// No message shows the text, because even a malformed text may contain the secret value.
std::string apply_secret(SubmitSpec& spec, const Setting& setting) {
  const size_t equals = std::min(setting.value.find('='), setting.value.size());
  SecretVariable secret{
      setting.value.substr(0, equals), SecretVariable::From::environment, {}, setting.origin};
  if (std::string problem = env_name_problem(secret.name); !problem.empty())
    return equals == setting.value.size() ? problem : "the part before \"=\" is not a valid variable name";
  if (equals < setting.value.size()) {
    const std::string from = setting.value.substr(equals + 1);
    if (from != "-" && (!from.starts_with('@') || from.size() == 1))
      return "other users may see the command line or kml.yaml: put the value into the variable " +
             secret.name + " and write --secret " + secret.name + ", or " + secret.name +
             "=- for standard input, " + secret.name + "=@FILE for a file";
    secret.from = from == "-" ? SecretVariable::From::standard_input : SecretVariable::From::file;
    secret.file = from.substr(1);
  }
  std::erase_if(spec.secrets, [&](const SecretVariable& earlier) { return earlier.name == secret.name; });
  spec.secrets.push_back(std::move(secret));
  return {};
}

std::string apply_image(SubmitSpec& spec, const Setting& setting) {
  spec.image = setting.value;
  const bool is_fine = !spec.image.empty() && spec.image.find_first_of(" \t\r\n") == std::string::npos;
  return is_fine ? "" : named(spec.image, "is not a valid image name");
}

std::string apply_code(SubmitSpec& spec, const Setting& setting) {
  spec.code = setting.value;
  return setting.value.empty() ? "the folder's name is empty" : "";
}

/// Of --uv, --requirements and --conda, the one from the source with the highest precedence is used; see
/// two_lists_of_packages().
std::string apply_uv(SubmitSpec& spec, const Setting& setting) {
  const bool is_on = setting.value == "true";
  if (!is_on && setting.value != "false") return named(setting.value, "is neither true nor false");
  spec.packages.by_uv = is_on;
  spec.packages.requirements.clear();
  spec.packages.conda.clear();
  return {};
}

std::string apply_requirements(SubmitSpec& spec, const Setting& setting) {
  spec.packages.requirements = setting.value;
  spec.packages.by_uv = false;
  spec.packages.conda.clear();
  return setting.value.empty() ? "the file's name is empty" : "";
}

std::string apply_conda(SubmitSpec& spec, const Setting& setting) {
  spec.packages.conda = setting.value;
  spec.packages.by_uv = false;
  spec.packages.requirements.clear();
  return setting.value.empty() ? "the file's name is empty" : "";
}

std::string apply_extra(SubmitSpec& spec, const Setting& setting) {
  spec.packages.extras.push_back(setting.value);
  return setting.value.empty() ? "the name is empty" : "";
}

std::string apply_group(SubmitSpec& spec, const Setting& setting) {
  spec.packages.groups.push_back(setting.value);
  return setting.value.empty() ? "the name is empty" : "";
}

std::string apply_env_store(SubmitSpec& spec, const Setting& setting) {
  auto store = parse_env_store(setting.value);
  if (auto* problem = std::get_if<std::string>(&store)) return *problem;
  spec.packages.store = std::get<Mount>(std::move(store));
  return {};
}

std::string apply_template(SubmitSpec& spec, const Setting& setting) {
  spec.template_name = setting.value;
  return setting.value.empty() ? "the template's name is empty" : "";
}

std::string apply_mount(SubmitSpec& spec, const Setting& setting) {
  auto mount = parse_mount(setting.value);
  if (auto* problem = std::get_if<std::string>(&mount)) return *problem;
  const std::string& path = std::get<Mount>(mount).path;
  std::erase_if(spec.mounts, [&](const Mount& earlier) { return earlier.path == path; });
  spec.mounts.push_back(std::get<Mount>(std::move(mount)));
  return {};
}

std::string apply_data_store(SubmitSpec& spec, const Setting& setting) {
  spec.data_store = setting.value;
  return {};
}

std::string apply_chdir(SubmitSpec& spec, const Setting& setting) {
  spec.working_folder = setting.value;
  return setting.value.find(':') == std::string::npos && !setting.value.empty()
             ? ""
             : "path " + named(setting.value, "must not be empty or contain \":\"");
}

std::string apply_toleration(SubmitSpec& spec, const Setting& setting) {
  auto toleration = parse_toleration(setting.value);
  if (auto* problem = std::get_if<1>(&toleration)) return *problem;
  const Json& value = std::get<0>(toleration);
  if (std::find(spec.tolerations.begin(), spec.tolerations.end(), value) == spec.tolerations.end())
    spec.tolerations.push_back(value);
  return {};
}

std::string apply_queue(SubmitSpec& spec, const Setting& setting) {
  spec.queue = setting.value;
  return named(setting.value, api::dns_label_problem(setting.value));
}

/// LEVEL or LEVEL:preferred
std::string apply_topology(SubmitSpec& spec, const Setting& setting) {
  const size_t colon = std::min(setting.value.find(':'), setting.value.size());
  spec.topology = {setting.value.substr(0, colon), colon < setting.value.size()};
  if (spec.topology->is_preferred && setting.value.substr(colon) != ":preferred")
    return named(setting.value, "is neither LEVEL nor LEVEL:preferred");
  return named(spec.topology->level, api::label_key_problem(spec.topology->level));
}

std::string apply_parameter(SubmitSpec& spec, const Setting& setting) {
  const auto parameter = key_and_value(setting.value);
  if (parameter.first.empty()) return named(setting.value, "is not of the form NAME=VALUE");
  std::erase_if(spec.parameters, [&](const Setting& earlier) { return earlier.name == parameter.first; });
  spec.parameters.push_back({parameter.first, parameter.second, setting.origin});
  return {};
}

/// Whether the field at the path is a string, or has only strings, whatever the value looks like.
bool is_of_strings(const JsonPath& path) {
  constexpr std::string_view kFields[] = {"annotations",  "labels", "matchLabels",
                                          "nodeSelector", "args",   "command"};
  const auto is_in = [&](std::string_view name) {
    return std::any_of(path.begin(), path.end(), [&](const Step& step) {
      const auto* key = std::get_if<std::string>(&step);
      return key && *key == name;
    });
  };
  const auto* last = path.empty() ? nullptr : std::get_if<std::string>(&path.back());
  return std::any_of(std::begin(kFields), std::end(kFields), is_in) ||
         (last && *last == "value" && is_in("env"));
}

/// Turns numbers, true and false into strings in fields that Kubernetes only accepts as strings.
void keep_strings(const JsonPath& path, yaml::Node& value) {
  if (is_of_strings(path)) return yaml::make_strings(value);
  for (size_t i = 0; i < value.items.size(); ++i) {
    JsonPath below = path;
    below.emplace_back(i);
    keep_strings(below, value.items[i]);
  }
  for (yaml::Node::Entry& entry : value.entries) {
    JsonPath below = path;
    below.emplace_back(entry.key.text);
    keep_strings(below, entry.value);
  }
}

std::string apply_set(SubmitSpec& spec, const Setting& setting) {
  // The path may contain "=" only in quotes. The first "=" outside quotes ends the path.
  size_t equals = 0;
  for (bool in_quotes = false; equals < setting.value.size(); ++equals) {
    if (setting.value[equals] == '"') in_quotes = !in_quotes;
    if (setting.value[equals] == '=' && !in_quotes) break;
  }
  if (equals == setting.value.size()) return named(setting.value, "is not of the form PATH=VALUE");
  std::string path = setting.value.substr(0, equals);
  const auto steps = parse_path(path);
  if (!steps) return named(path, "is not a path; write spec.template.spec.containers[0].image");
  const std::string text = setting.value.substr(equals + 1);
  try {
    // not parsed as JSON, because that would lose the text of numbers
    yaml::Node value = yaml::parse_one(text + "\n#", path);
    keep_strings(*steps, value);
    spec.sets.push_back({path, yaml::to_json(value, path), setting.origin});
  } catch (const Error& error) {
    return named(text, "is not a YAML value: " + error.problems.at(0).text);
  }
  return {};
}

/// The fault in the name, with a suggestion for a valid name; empty if the name is valid.
std::string job_name_problem(std::string_view name) {
  const std::string problem = api::dns_label_problem(name);
  return problem.empty() ? "" : problem + "; take " + api::to_dns_label(name);
}

const std::map<std::string_view, Apply>& appliers() {
  static const std::map<std::string_view, Apply> kAppliers = {
      {"name", apply_name<&SubmitSpec::name, job_name_problem>},
      {"template", apply_template},
      {"image", apply_image},
      {"gpus", apply_parsed<&SubmitSpec::gpus, parse_gpus>},
      {"cpu", apply_amount<&SubmitSpec::cpu, api::cpus_problem>},
      {"memory", apply_amount<&SubmitSpec::memory, api::bytes_problem>},
      {"nodes", apply_count<&SubmitSpec::nodes, 1>},
      {"env", apply_env},
      {"secret", apply_secret},
      {"env-from", apply_names<&SubmitSpec::env_from>},
      {"mount", apply_mount},
      {"shm", apply_amount<&SubmitSpec::shm, api::bytes_problem>},
      {"code", apply_code},
      {"uv", apply_uv},
      {"extra", apply_extra},
      {"group", apply_group},
      {"requirements", apply_requirements},
      {"conda", apply_conda},
      {"env-store", apply_env_store},
      {"data", apply_data},
      {"data-store", apply_data_store},
      {"chdir", apply_chdir},
      {"node-selector", apply_pair<&SubmitSpec::node_selector>},
      {"toleration", apply_toleration},
      {"priority", apply_name<&SubmitSpec::priority, api::dns_subdomain_problem>},
      {"queue", apply_queue},
      {"topology", apply_topology},
      {"retries", apply_count<&SubmitSpec::retries, 0>},
      {"grace", apply_duration<&SubmitSpec::grace, 0>},
      {"time-limit", apply_duration<&SubmitSpec::time_limit, 1>},
      {"ttl", apply_duration<&SubmitSpec::ttl, 0>},
      {"label", apply_pair<&SubmitSpec::labels>},
      {"annotation", apply_pair<&SubmitSpec::annotations>},
      {"service-account", apply_name<&SubmitSpec::service_account, api::dns_subdomain_problem>},
      {"pull-secret", apply_names<&SubmitSpec::pull_secrets>},
      {"array", apply_parsed<&SubmitSpec::array, parse_array>},
      {"param", apply_parameter},
      {"set", apply_set},
  };
  return kAppliers;
}

}  // namespace

SubmitSpec parse_settings(std::span<const Setting> settings, std::vector<std::string> command) {
  SubmitSpec spec;
  Error error = usage_error("invalid job");
  error.problems = two_lists_of_packages(settings);
  std::ranges::move(conflicts_in(settings), std::back_inserter(error.problems));
  for (const Setting& setting : settings) {
    require_agents_files(setting);
    auto apply = appliers().find(setting.name);
    std::string problem = apply == appliers().end() ? "no such flag"
                          : !is_utf8(setting.value) ? "its value is not UTF-8"
                                                    : apply->second(spec, setting);
    if (!problem.empty()) error.problems.push_back(setting.origin.problem(std::move(problem)));
    // If the template was chosen for this submit, parameters in a file may belong to another template.
    const bool is_for_now = setting.name == "template" && setting.origin.source == Source::environment;
    if (setting.origin.source == Source::flag || is_for_now) spec.given.insert(setting.name);
  }
  if (!std::all_of(command.begin(), command.end(), is_utf8))
    error.problems.push_back({{}, 0, 0, "command", "it is not UTF-8, which Kubernetes requires"});
  if (spec.array && spec.nodes)
    error.problems.push_back(
        {{}, 0, 0, "--array", "it cannot be combined with --nodes: each task is one pod"});
  for (const SecretVariable& secret : spec.secrets)
    if (spec.env.contains(secret.name))
      error.problems.push_back(secret.origin.problem(secret.name + " is also set by --env"));
  if (!error.problems.empty()) throw error;
  spec.command = std::move(command);
  return spec;
}

std::string name_base(const SubmitSpec& spec) {
  constexpr size_t kLongest = 40;
  const auto stem_of = [](std::string_view word) {
    word = word.substr(word.rfind('/') + 1);
    return std::string(word.substr(0, word.rfind('.') == 0 ? word.size() : word.rfind('.')));
  };
  std::string base;
  for (size_t i = 0; i < spec.command.size() && base.empty(); ++i) {
    const std::string& word = spec.command[i];
    if (word.ends_with(".py") || word.ends_with(".sh")) base = stem_of(word);
    if (word == "-m" && i + 1 < spec.command.size())
      base = spec.command[i + 1].substr(spec.command[i + 1].rfind('.') + 1);
  }
  if (base.empty() && !spec.command.empty()) base = stem_of(spec.command[0]);
  return api::to_dns_1035_label(base, kLongest);
}

}  // namespace kml::spec
