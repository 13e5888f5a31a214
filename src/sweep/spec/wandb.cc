#include "kml/sweep/spec/wandb.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "kml/api/names.h"
#include "sweep/spec/fields.h"

namespace kml::sweep {

namespace {

using Problems = std::vector<Problem>;

bool are_whole(std::initializer_list<const Json*> numbers) {
  return std::all_of(numbers.begin(), numbers.end(),
                     [](const Json* number) { return !number || number->is_number_integer(); });
}

Json choices_of(const Json& values) {
  const bool are_numbers =
      std::all_of(values.begin(), values.end(), [](const Json& value) { return value.is_number(); });
  return {{"parameterType", are_numbers ? "discrete" : "categorical"}, {"feasibleSpace", {{"list", values}}}};
}

/// {min, max, distribution, q}; integers by default if both bounds are whole numbers.
Json range_of(Fields& fields) {
  const Json *min = fields.take("min"), *max = fields.take("max"), *step = fields.take("q");
  const std::string named = fields.text("distribution");
  const std::string distribution = !named.empty() ? named : are_whole({min, max}) ? "int_uniform" : "uniform";
  static const std::vector<std::string> kKnown = {"uniform", "int_uniform", "q_uniform", "log_uniform_values",
                                                  "q_log_uniform_values"};
  if (std::find(kKnown.begin(), kKnown.end(), distribution) == kKnown.end()) {
    fields.problem(
        "distribution",
        distribution + " is not supported: use one of uniform, int_uniform, q_uniform, log_uniform_values");
    return {};
  }
  const bool has_step = distribution.starts_with("q_"),
             is_log = distribution.find("log") != std::string::npos;
  const Json width = !has_step ? Json() : step ? *step : Json(1);
  Json space = Json::object();
  set_said(space, {{"min", min ? *min : Json()},
                   {"max", max ? *max : Json()},
                   {"step", width},
                   {"distribution", is_log ? "logUniform" : ""}});
  const bool is_integer = distribution == "int_uniform" || (has_step && are_whole({min, max, step}));
  if (distribution == "q_log_uniform_values" && !(is_integer && width == 1))
    fields.problem("distribution",
                   "q_log_uniform_values is supported only for whole numbers with q: 1: use "
                   "log_uniform_values, or list the values");
  return {{"parameterType", is_integer ? "int" : "double"}, {"feasibleSpace", space}};
}

Json parameter_of(const std::string& name, const Json& value, Problems& problems) {
  Fields fields(&value, "parameters." + name, problems);
  Json parameter;
  if (const Json* values = fields.take("values"); values && values->is_array()) {
    parameter = choices_of(*values);
    static_cast<void>(fields.word("distribution", {"categorical", "constant"}));
  } else if (const Json* constant = fields.take("value")) {
    parameter = choices_of(Json::array({*constant}));
    static_cast<void>(fields.word("distribution", {"constant", "categorical"}));
  } else if (fields.take("parameters")) {
    fields.problem("parameters",
                   "is not supported: W&B passes nested parameters as one dictionary; move each to the top "
                   "level, as in " +
                       name + "_lr");
  } else {
    parameter = range_of(fields);
  }
  fields.end();
  parameter["name"] = name;
  return parameter;
}

/// Uses W&B's definition of bands: max_iter / eta^s and up, or min_iter and up. W&B's manual shows four
/// bands.
void read_early_stop(Fields& top, Json& spec, Problems& problems) {
  constexpr double kBands = 4;
  const Json* object = top.take("early_terminate");
  if (!object) return;
  Fields early(object, "early_terminate", problems);
  static_cast<void>(early.word("type", {"hyperband"}));
  auto most = early.integer("max_iter", 1), least = early.integer("min_iter", 1);
  const auto eta = early.integer("eta", 2).value_or(3), brackets = early.integer("s", 1).value_or(0);
  early.ignore({"strict"});
  if (!most && !least)
    early.problem("max_iter",
                  "is missing: set max_iter or min_iter, the number of times that a trial reports");
  early.end();
  const auto times = [eta](double count) { return std::pow(static_cast<double>(eta), count); };
  if (most && !least && brackets > 0)
    least = std::max(
        1LL, static_cast<long long>(static_cast<double>(*most) / times(static_cast<double>(brackets))));
  if (least && !most) most = static_cast<long long>(static_cast<double>(*least) * times(kBands));
  Json fidelity = {{"metric", "step"}, {"eta", eta}};
  set_said(fidelity, {{"max", or_null(most)}, {"min", or_null(least)}});
  spec.update({{"fidelity", fidelity}, {"earlyStopping", {{"algorithmName", "asha"}}}});
}

std::vector<std::string> command_of(Fields& top) {
  const std::string program = top.text("program");
  std::vector<std::string> words = top.texts("command");
  if (words.empty()) words = {"${interpreter}", "${program}", "${args}"};
  const std::map<std::string, std::string> meanings = {{"${env}", "/usr/bin/env"},
                                                       {"${interpreter}", "python"},
                                                       {"${program}", program},
                                                       {"${args}", "{args}"}};
  for (std::string& word : words) {
    if (const auto found = meanings.find(word); found != meanings.end())
      word = found->second;
    else if (word.starts_with("${"))
      top.problem("command",
                  word + " is not supported; use only ${env}, ${interpreter}, ${program} and ${args}");
    if (word.empty()) top.problem("program", "is missing");
  }
  return words;
}

}  // namespace

bool is_wandb(const Json& document) {
  return document.is_object() && !document.contains("kind") && document.contains("method") &&
         document.contains("parameters");
}

ImportedSweep import_wandb(const Json& document, std::string_view source) {
  Problems problems;
  Fields top(&document, "", problems);
  ImportedSweep sweep;
  sweep.document = {{"apiVersion", "kml.dev/v1"}, {"kind", "Sweep"}};
  if (const std::string name = top.text("name"); !name.empty())
    sweep.document["metadata"]["name"] = api::to_dns_label(name, 48);
  Json& spec = sweep.document["spec"];
  const std::string method = top.word("method", {"bayes", "grid", "random"});
  Fields metric(top.take("metric"), "metric", problems);
  Json objective = {{"objectiveMetricName", metric.text("name")},
                    {"type", metric.word("goal", {"minimize", "maximize"})}};
  set_said(objective, {{"goal", or_null(metric.number("target"))}});
  metric.end();
  spec = {{"algorithm", {{"algorithmName", method == "bayes" ? "auto" : method}}},
          {"objective", std::move(objective)},
          {"parameters", Json::array()}};
  if (const Json* parameters = top.take("parameters"); parameters && parameters->is_object())
    for (const auto& [name, value] : parameters->items())
      spec["parameters"].push_back(parameter_of(name, value, problems));
  else
    top.problem("parameters", "must list the parameters to try");
  if (const auto trials = top.integer("run_cap", 1)) spec["maxTrialCount"] = *trials;
  read_early_stop(top, spec, problems);
  sweep.command = command_of(top);
  top.ignore({"project", "entity", "description", "$schema"});
  top.end();
  if (problems.empty()) return sweep;
  Error error = usage_error(std::string(source) + ": cannot convert this Weights & Biases sweep", "",
                            "`kml sweep run --help` and man kml-sweep list every flag and field");
  error.problems = std::move(problems);
  throw error;
}

}  // namespace kml::sweep
