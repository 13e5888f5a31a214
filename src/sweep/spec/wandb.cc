#include "sweep/spec/wandb.h"

#include <algorithm>
#include <map>
#include <set>

#include "kml/base/text.h"
#include "kml/kube/objects/names.h"
#include "sweep/spec/fields.h"
#include "sweep/spec/wandb_macros.h"
#include "sweep/spec/wandb_parameters.h"

namespace kml::sweep {

namespace {

using Problems = std::vector<Problem>;

/// W&B's bands: max_iter divided by eta up to s times, but at least 1; otherwise, min_iter multiplied by eta
/// again and again.
std::vector<long long> bands_of(std::optional<long long> most, std::optional<long long> least, long long eta,
                                long long times) {
  constexpr size_t kBands = 8;  // with min_iter alone, W&B has no last band
  constexpr long long kLast = 1'000'000'000'000;
  std::vector<long long> bands;
  if (most && times > 0) {
    auto band = static_cast<double>(*most);
    for (; times > 0 && band >= static_cast<double>(eta); --times) {
      band /= static_cast<double>(eta);
      bands.insert(bands.begin(), static_cast<long long>(band));
    }
    return bands;
  }
  if (least)
    for (long long band = *least; band < most.value_or(kLast) && (most || bands.size() < kBands); band *= eta)
      bands.push_back(band);
  return bands;
}

/// Follows W&B's code (wandb/sweeps, hyperband_stopping.py): max_iter and s have precedence over min_iter.
/// Each run is compared with all others at each band that it reaches: by its value there if strict, otherwise
/// by its best value so far.
void read_early_stop(Fields& top, Json& spec, Problems& problems) {
  const Json* object = top.take("early_terminate");
  if (!object) return;
  Fields early(object, "early_terminate", problems);
  static_cast<void>(early.word("type", {"hyperband"}));
  constexpr long long kMost = 1'000'000'000;
  const auto most = early.integer("max_iter", 1, kMost), least = early.integer("min_iter", 1, kMost);
  const auto eta = early.integer("eta", 2, 100).value_or(3), times = early.integer("s", 1).value_or(0);
  const bool strict = early.truth("strict");
  if (!most && !least)
    early.problem("max_iter",
                  "is missing: set max_iter or min_iter, the number of times that a trial reports");
  if (most && !least && !early.has("s"))
    early.problem("s", "is missing: max_iter needs the number of times at which runs are compared");
  const std::vector<long long> bands = bands_of(most, least, eta, times);
  if (most && times > 0 && bands.empty()) early.problem("max_iter", "is less than eta, so no band exists");
  early.end();
  if (!most && !least) return;
  Json fidelity = {{"metric", "step"}, {"eta", eta}, {"max", most ? *most : bands.back() * eta}};
  if (!bands.empty()) fidelity["rungs"] = bands;
  Json settings = Json::array({{{"name", "brackets"}, {"value", 1}}});
  if (!strict) settings.push_back({{"name", "compare"}, {"value", "best"}});
  spec.update({{"fidelity", fidelity},
               {"earlyStopping", {{"algorithmName", "asha"}, {"algorithmSettings", settings}}}});
}

constexpr std::string_view kVariable = "${envvar:";

/// The word in shell syntax, with variables replaced by their values. Follows W&B's agent
/// (wandb/sdk/launch/sweeps/utils.py): a variable that is not set is replaced by its name, and only names
/// made of capital letters, digits and "_" are replaced.
std::string with_variables(std::string_view word, Fields& top) {
  std::string shell;
  const auto add_text = [&](std::string_view text) {
    if (!text.empty()) shell += shell_quoted(std::vector{std::string(text)});
  };
  for (size_t begin = 0; (begin = word.find(kVariable)) != std::string_view::npos;) {
    const size_t end = word.find('}', begin);
    const std::string name(word.substr(begin + kVariable.size(), end - begin - kVariable.size()));
    constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_", kOthers = "0123456789";
    if (end == std::string_view::npos || name.empty() ||
        name.find_first_not_of(std::string(kLetters) + std::string(kOthers)) != std::string::npos ||
        kOthers.find(name[0]) != std::string_view::npos) {
      top.problem("command",
                  std::string(word) + ": W&B accepts only names such as ${envvar:DATA_DIR}, in capitals");
      return {};
    }
    add_text(word.substr(0, begin));
    shell += "\"${" + name + "-" + name + "}\"";
    word.remove_prefix(end + 1);
  }
  add_text(word);
  return shell;
}

/// The names of the variables in the words.
std::set<std::string> variables_in(const std::vector<std::string>& words) {
  std::set<std::string> names;
  for (const std::string& word : words)
    for (size_t at = 0; (at = word.find(kVariable, at)) != std::string::npos;) {
      at += kVariable.size();
      names.insert(word.substr(at, word.find('}', at) - at));
    }
  return names;
}

/// A command that replaces the variables in its words by their values before it runs them.
std::vector<std::string> filling_variables(std::vector<std::string> words, Fields& top) {
  std::string cases;
  for (const std::string& word : std::set<std::string>(words.begin(), words.end()))
    if (contains(word, kVariable))
      cases += shell_quoted(std::vector{word}) + ") word=" + with_variables(word, top) + " ;; ";
  if (cases.empty()) return words;
  const std::string script =
      "for word do shift; case $word in " + cases + "esac; set -- \"$@\" \"$word\"; done; exec \"$@\"";
  words.insert(words.begin(), {"sh", "-c", script, "sh"});
  return words;
}

/// The words of a command, in the form that Python's str() gives. Macros for arguments are kept, see
/// Placeholders::wandb.
std::vector<std::string> command_of(Fields& top, std::set<std::string>& variables) {
  const std::string program = top.text("program");
  Json given = top.any("command");
  // W&B's own default starts with ${env}
  if (given.is_null()) given = {"${interpreter}", "${program}", "${args}"};
  std::vector<std::string> words;
  if (!given.is_array()) top.problem("command", "must be a list of words");
  for (const Json& word : given.is_array() ? given : Json::array()) words.push_back(python_text(word));
  const std::map<std::string, std::string> meanings = {
      {"${env}", "/usr/bin/env"}, {"${interpreter}", "python"}, {"${program}", program}};
  for (std::string& word : words) {
    if (word == "${program}" && program.empty()) top.problem("program", "is missing");
    if (const auto found = meanings.find(word); found != meanings.end())
      word = found->second;
    else if (!contains(word, kVariable) && word.starts_with("${") && word.ends_with("}") &&
             !is_argument_macro(std::string_view(word).substr(2, word.size() - 3)))
      top.problem("command", word + " is not a W&B macro");
  }
  variables = variables_in(words);
  words = filling_variables(std::move(words), top);
  if (std::find(words.begin(), words.end(), "${args_json_file}") == words.end()) return words;
  words.insert(words.begin(),
               {"sh", "-c", "mkdir -p \"${0%/*}\" && printf %s \"$1\" >\"$0\" && shift && exec \"$@\"",
                "${args_json_file}", "${args_json}"});
  return words;
}

}  // namespace

bool is_wandb(const Json& document) {
  const std::string kind = string_at(document, {"kind"}, "sweep");
  return document.is_object() && kind == "sweep" && document.contains("method") &&
         document.contains("parameters");
}

namespace {

Json objective_of(Fields& top, Problems& problems) {
  const Json* object = top.take("metric");
  if (!object) return Json::object();
  Fields metric(object, "metric", problems);
  Json objective = {{"objectiveMetricName", metric.text("name")},
                    {"type", metric.word("goal", {"minimize", "maximize"})}};
  if (!metric.take("name")) metric.problem("name", "is missing");
  set_said(objective, {{"goal", or_null(metric.number("target"))}});
  static_cast<void>(metric.word("impute", {"worst"}));
  static_cast<void>(metric.word("impute_while_running", {"false"}));
  metric.end();
  return objective;
}

/// How many points a grid has.
double points_in(const Json& parameters) {
  double points = 1;
  for (const Json& parameter : parameters) {
    const Json& space = object_at(parameter, {"feasibleSpace"});
    const Json* list = find(space, {"list"});
    points *= list ? static_cast<double>(list->size())
                   : space["max"].get<double>() - space["min"].get<double>() + 1;
  }
  return points;
}

}  // namespace

ImportedSweep import_wandb(const Json& document, std::string_view source) {
  Problems problems;
  Fields top(&document, "", problems);
  ImportedSweep sweep;
  sweep.document = {{"apiVersion", "kml.dev/v1"}, {"kind", "Sweep"}};
  if (const std::string name = top.text("name"); !name.empty())
    sweep.document["metadata"]["name"] = api::to_dns_label(name, 48);
  Json& spec = sweep.document["spec"];
  const std::string method = top.word("method", {"bayes", "grid", "random"});
  Json objective = objective_of(top, problems);
  spec = {{"algorithm", {{"algorithmName", method == "bayes" ? "auto" : method}}},
          {"objective", std::move(objective)},
          {"parameters", Json::array()},
          {"trialTemplate", {{"valueFormat", "python"}}}};
  if (const Json* parameters = top.take("parameters");
      parameters && parameters->is_object() && !parameters->empty())
    spec["parameters"] = parameters_of_wandb(*parameters, method, problems);
  else
    top.problem("parameters", "must list the parameters to try");
  constexpr double kMostTrials = 1e15;
  if (const auto trials = top.integer("run_cap", 1))
    spec["maxTrialCount"] = *trials;
  else if (method == "grid" && problems.empty())
    spec["maxTrialCount"] = static_cast<long long>(std::min(points_in(spec["parameters"]), kMostTrials));
  read_early_stop(top, spec, problems);
  sweep.command = command_of(top, sweep.variables);
  top.ignore({"apiVersion", "kind", "controller", "project", "entity", "description", "$schema"});
  top.end();
  if (problems.empty()) return sweep;
  Error error = usage_error(std::string(source) + ": cannot convert this Weights & Biases sweep", "",
                            "`kml sweep run --help` and man kml-sweep list every flag and field");
  error.problems = std::move(problems);
  throw error;
}

}  // namespace kml::sweep
