#include "sweep/commands/sweep_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "job/commands/check_wheels.h"
#include "job/commands/submit_request.h"
#include "kml/base/files.h"
#include "kml/base/package.h"
#include "kml/base/pyyaml.h"
#include "kml/base/suggestion.h"
#include "kml/base/text.h"
#include "kml/base/unicode.h"
#include "kml/base/yaml.h"
#include "kml/base/yaml_texts.h"
#include "kml/job/preflight/preflight.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/names.h"
#include "kml/kube/objects/object.h"
#include "kml/sweep/runner/sweep_objects.h"
#include "kml/sweep/spec/sweep_spec.h"
#include "sweep/commands/katib_template.h"
#include "sweep/commands/sweep_overlay.h"
#include "sweep/commands/sweep_selection.h"
#include "sweep/spec/document.h"
#include "sweep/spec/trust.h"
#include "sweep/spec/wandb.h"

namespace kml::cli {

namespace {

void require_one_job(const std::vector<Json>& objects) {
  const bool is_of_operator = objects.size() == 1 && !api::kind_of(objects[0]);
  if (is_of_operator || (objects.size() == 1 && job::is_job(objects[0]))) return;
  throw usage_error(
      "a trial must be one job",
      objects.size() == 1 ? "this trial is a " + api::kind_name(objects[0])
                          : "the template makes " + std::to_string(objects.size()) + " objects",
      "first create on the cluster the objects that all trials share, and describe only the job of a trial");
}

/// The manifest of a trial. If the template lacks a parameter given by -p, the user probably meant --param.
job::SubmitPlan plan_trial(Context& context, const job::SubmitRequest& request) try {
  return plan(context, request, "the trial");
} catch (const Error& error) {
  Error hinted = error;
  for (const Problem& problem : error.problems)
    if (problem.path == "-p" && contains(problem.text, "has no parameter"))
      for (const spec::Setting& setting : request.settings)
        if (setting.name == "param" &&
            contains(problem.text, '"' + setting.value.substr(0, setting.value.find('=')) + '"'))
          hinted.fix += (hinted.fix.empty()
                             ? "-p sets a parameter of the template; for a parameter to try, use --param "
                             : " --param ") +
                        shell_quoted({&setting.value, 1});
  throw hinted;
}

}  // namespace

TrialOfSweep trial_of(Context& context, SubmitFlags flags, const std::string& sweep, const Json& manifest,
                      const CompletePlan& complete) {
  flags.fetches_data = complete != nullptr;
  flags.claims_gpus = false;
  for (const auto& [name, value, near] : flags.unknown) {
    if (name == "name")
      throw usage_error("--name is not a flag of sweeps: trials are named after their sweep", "",
                        "kml sweep run NAME ...");
    if (name == "array")
      throw usage_error("--array is not a flag of sweeps: a trial is a single job", "",
                        "--trials N sets the number of trials");
  }
  std::erase_if(flags.settings, [](const spec::Setting& flag) { return flag.name == "retries"; });
  std::optional<std::vector<Json>> manifests;
  if (manifest.is_object()) manifests.emplace(1, manifest);
  if (manifests) require_one_job(*manifests);
  if (manifests && !api::kind_of(manifest)) {
    if (context.place().is_local)
      throw usage_error("the embedded server cannot run " + api::kind_name(manifest) + "s",
                        "it has no controller for this kind", "use a cluster: --context NAME");
    // an object of a kind that kml does not know needs a name here, although trials get their own names
    manifests->front()["metadata"]["name"] = sweep;
  }
  job::SubmitRequest request = submit_request(context, flags, std::move(manifests));
  // The names of the Secret and the code must stay the same when the sweep continues; otherwise its trials
  // would change.
  request.secret_object = sweep::sweep_object_name(sweep);
  request.code_suffix = "-" + sweep;
  job::SubmitPlan made = plan_trial(context, request);
  require_one_job(made.objects);
  if (complete) complete(made, sweep);
  for (std::string& slip : job::field_faults(made.objects)) made.notes.push_back(std::move(slip));
  Json trial = std::move(made.objects[0]);
  Json& metadata = trial["metadata"];
  metadata.erase("name");
  metadata.erase("namespace");
  // This annotation has the command in shell syntax, so arguments are quoted when they are filled in.
  if (auto annotations = metadata.find("annotations"); annotations != metadata.end())
    if (auto command = annotations->find(api::kCommand); command != annotations->end())
      *command = join(flags.command, " ");
  return {std::move(trial), std::move(made.belongings), std::move(made.notes), std::move(made.packages)};
}

namespace {

/// Keeps the texts of the values in `list` and `values`, because trials get them on their command lines.
void keep_choice_texts(yaml::Node& node) {
  for (yaml::Node& item : node.items) keep_choice_texts(item);
  for (yaml::Node::Entry& entry : node.entries)
    if (entry.key.text == "list" || entry.key.text == "values") {
      yaml::keep_number_texts(entry.value);
      yaml::keep_boolean_texts(entry.value);
    } else if (entry.key.text != "trialTemplate") {
      keep_choice_texts(entry.value);
    }
}

/// Keeps "n" and "y" as text, because they are often names and values of parameters. A W&B file is read as
/// W&B reads it.
Json parse_file(const std::string& text, const std::string& source) {
  const std::string plain = unpacked_package(text, source).value_or(text);
  yaml::Node document = yaml::parse_one(plain, source);
  Json of_python = yaml::python_json(document, source, Json::accept(plain));
  if (sweep::is_wandb(of_python)) return of_python;
  yaml::keep_letters(document);
  // with valueFormat "python", numbers are printed as Python prints them, so their texts are not needed
  if (string_at(of_python, {"spec", "trialTemplate", "valueFormat"}) != "python") keep_choice_texts(document);
  return yaml::to_json(document, source);
}

/// The name of a file without its extension. Used as the sweep's name, because a W&B file need not contain
/// one.
std::string name_by_file(const std::string& file) {
  return file == "-" ? "" : api::to_dns_label(without_marks(std::filesystem::path(file).stem().string()), 48);
}

/// The keys in a path such as "parameters.lr.min". A key may contain dots.
std::vector<std::string> steps_of(const yaml::Node& document, std::string_view path) {
  std::vector<std::string> steps;
  const yaml::Node* node = &document;
  while (node && !path.empty()) {
    const yaml::Node::Entry* longest = nullptr;
    for (const yaml::Node::Entry& entry : node->entries)
      if ((path == entry.key.text || path.starts_with(entry.key.text + ".")) &&
          (!longest || longest->key.text.size() < entry.key.text.size()))
        longest = &entry;
    if (!longest) break;
    steps.push_back(longest->key.text);
    path.remove_prefix(std::min(path.size(), longest->key.text.size() + 1));
    node = &longest->value;
  }
  return steps;
}

/// Converts a W&B file. Problems name the positions of fields in the file.
sweep::ImportedSweep imported_wandb(const Json& document, const std::string& text,
                                    const std::string& source) try {
  return sweep::import_wandb(document, source);
} catch (Error& error) {
  const yaml::Node root = yaml::parse_one(text, source);
  for (Problem& problem : error.problems) {
    const yaml::Mark mark = yaml::mark_at(root, steps_of(root, problem.path), true);
    problem.file = source;
    problem.line = mark.line;
    problem.column = mark.column;
  }
  throw;
}

Json from_wandb(Context& context, const Json& document, const std::string& text, SweepRequest& request) {
  sweep::ImportedSweep imported = imported_wandb(document, text, source_of(request));
  Json& spec = imported.document["spec"];
  if (request.submit.command.empty()) {
    request.submit.command = std::move(imported.command);
    spec["trialTemplate"]["placeholders"] = "wandb";
    request.variables = std::move(imported.variables);
  }
  if (!imported.document.contains("metadata"))
    if (const std::string name = name_by_file(request.file); !name.empty())
      imported.document["metadata"]["name"] = name;
  if (!spec.contains("maxTrialCount") && !request.trials &&
      string_at(spec, {"algorithm", "algorithmName"}) != "grid")
    context.note("without run_cap, a W&B sweep has no limit; kml runs at most 100 trials (--trials N)");
  return std::move(imported.document);
}

/// Throws usage Error if two flags would read standard input, because it can only be read once.
void refuse_second_reader(const SweepRequest& request) {
  if (request.file != "-") return;
  for (const spec::Setting& flag : request.submit.settings)
    if (flag.name == "secret" && flag.value.ends_with("=-"))
      throw usage_error("both -f - and --secret " + flag.value + " read standard input", "",
                        "give one of them as a file");
}

bool is_file_name(const std::string& name) {
  return name.ends_with(".yaml") || name.ends_with(".yml") || name.ends_with(".json");
}

bool uses_template(const SweepRequest& request) {
  return std::any_of(request.submit.settings.begin(), request.submit.settings.end(),
                     [](const spec::Setting& flag) { return flag.name == "template"; });
}

/// Throws usage Error if there is no sweep with that name that could continue.
void refuse_undescribed(Context& context, const SweepRequest& request) {
  const std::string name = request.names.empty() ? "NAME" : request.names[0];
  if (!request.names.empty() && begun_document(context, name)) return;
  throw usage_error(
      request.names.empty() ? "NAME is missing" : "no sweep " + name, "",
      suggestion(name, sweep_names(),
                 "to start one, give --param and a command: kml sweep run " + name +
                     " --param lr=log:1e-4..1e-1 --maximize accuracy -- python train.py {args}"));
}

/// The existing sweep, unless the request describes a different one.
std::optional<SweepDocument> as_begun(Context& context, const SweepRequest& request) {
  const bool describes_one = !request.file.empty() || !request.submit.command.empty() ||
                             !request.submit.unknown.empty() || !request.parameters.empty() ||
                             !request.constraints.empty();
  if (request.replace && !describes_one)
    throw usage_error("--replace needs a new sweep", "neither a file nor a command describes one",
                      "give --param and a command, or -f FILE");
  if (!describes_one && !uses_template(request)) refuse_undescribed(context, request);
  if (describes_one || request.names.empty()) return {};
  std::optional<Json> before = begun_document(context, request.names[0]);
  if (!before) return {};
  for (const spec::Setting& flag : request.submit.settings)
    if (flag.name != "retries")
      throw usage_error("--" + flag.name + " would change the trials of sweep " + request.names[0],
                        "without a command, kml continues the sweep with unchanged trials",
                        "give the command as well, or leave the flag out");
  lay_over(*before, request);
  return SweepDocument{std::move(*before), {}, {}, true};
}

bool is_set_here(const std::string& variable) {
  return !environment(variable.c_str()).empty();
}

/// The note if the trials do not run in the namespace that the file names; otherwise empty. Katib's own
/// examples name "kubeflow", where a user of kml may have no rights.
std::string note_on_namespace(Context& context, const Json& document, const std::string& source) {
  const std::string wanted = api::namespace_of(document), used = context.place().namespace_name;
  if (wanted.empty() || wanted == used) return {};
  return fmt::format("namespace {} of {} is not used: the trials run in namespace {}{}", wanted, source, used,
                     context.place().is_local ? "" : "; give -n " + wanted + " to run them there");
}

}  // namespace

std::string source_of(const SweepRequest& request) {
  return request.file.empty()  ? std::string(sweep::kCommandLine)
         : request.file == "-" ? "standard input"
                               : request.file;
}

std::string sweep_name(const Json& document) {
  std::string name = api::name_of(document);
  if (name.empty()) name = api::generate_name_of(document);
  while (name.ends_with('-')) name.pop_back();
  return name;
}

SweepDocument sweep_document(Context& context, SweepRequest request) {
  if (request.file.empty() && !request.names.empty() && is_file_name(request.names[0]))
    throw usage_error("invalid sweep name " + request.names[0], "files are given with -f",
                      "kml sweep run -f " + request.names[0]);
  if (auto begun = as_begun(context, request)) return std::move(*begun);
  refuse_second_reader(request);
  const std::string source = source_of(request);
  const std::string text =
      request.file.empty() || request.file == "-" ? request.standard_input : read_file(request.file);
  Json document = request.file.empty()
                      ? Json{{"apiVersion", "kml.dev/v1"}, {"kind", "Sweep"}, {"spec", Json::object()}}
                      : parse_file(text, source);
  const bool is_wandb = sweep::is_wandb(document);
  if (is_wandb) {
    document = from_wandb(context, document, text, request);
  } else if (api::kind_name(document) == "Experiment" && !request.submit.command.empty()) {
    document["spec"]["trialTemplate"]["placeholders"] = "kml";  // the command was not written for Katib
  }
  if (!request.file.empty()) sweep::require_sections(document, source);
  if (api::kind_name(document) == "Experiment" && !request.trials &&
      !find(document, {"spec", "maxTrialCount"}) &&
      string_at(document, {"spec", "algorithm", "algorithmName"}) != "grid")
    context.note(
        "without maxTrialCount, an Experiment has no limit in Katib; in kml, a new sweep runs at most 100 "
        "trials "
        "(--trials N)");
  lay_over(document, request);
  if (is_wandb && sweep_name(document).empty())
    throw usage_error(source + " does not name the sweep", "the trials' jobs are named after it",
                      "kml sweep run NAME -f " + request.file);
  if (is_wandb && find(document, {"spec", "objective"})->empty() && !find(document, {"spec", "objectives"}))
    throw usage_error(source + " has no metric", "kml compares trials by a metric",
                      "add metric: {name: loss, goal: minimize}, or give --minimize loss");
  fetch_trial_template(context, document, !request.dry_run);
  Json& trial = document["spec"]["trialTemplate"]["trialSpec"];
  if (trial.is_object()) {
    sweep::parse_sweep(document, source);  // this reports mistakes in the file
    sweep::require_trust({request.file == "-" ? "" : request.file, source, text}, trial);
  }
  // The time limit is the one given by a flag, otherwise in the sweep's spec, otherwise in kml.yaml.
  if (const Json* limit = find(document, {"spec", "timeLimit"}))
    request.submit.settings.insert(request.submit.settings.begin(),
                                   {"time-limit",
                                    limit->is_string() ? limit->get<std::string>() : limit->dump(),
                                    {spec::Source::flag, "spec.timeLimit"}});
  request.submit.usage = "kml sweep run NAME [flags] -- COMMAND {args}";
  TrialOfSweep made = trial_of(context, request.submit, sweep_name(document), trial, request.complete);
  if (!request.dry_run) check_wheels(context, {made.manifest}, made.packages);
  trial = std::move(made.manifest);
  if (std::string note = note_on_namespace(context, document, source); !note.empty())
    made.notes.push_back(std::move(note));
  for (const Json& parameter : array_at(document, {"spec", "trialTemplate", "trialParameters"}))
    if (string_at(parameter, {"reference"}) == "${trialSpec.Namespace}")
      trial["metadata"]["namespace"] = context.target().namespace_name;
  for (std::string& note : sweep::notes_on_variables(request.variables, trial, is_set_here))
    made.notes.push_back(std::move(note));
  for (const std::string& parameter : request.parameters)
    if (std::string note = sweep::note_on_parameter_flag(parameter); !note.empty())
      made.notes.push_back(std::move(note));
  return {std::move(document), std::move(made.secrets), std::move(made.notes), false,
          std::move(made.packages)};
}

}  // namespace kml::cli
