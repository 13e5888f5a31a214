#include <algorithm>
#include <filesystem>
#include <memory>
#include <ostream>

#include "cli/commands.h"
#include "cli/context.h"
#include "cli/output_format.h"
#include "kml/base/files.h"
#include "kml/base/suggestion.h"
#include "kml/base/text.h"
#include "kml/base/yaml.h"
#include "kml/job/kinds/job_kind.h"
#include "kml/job/views/job_view.h"
#include "kml/job/views/kinds.h"
#include "kml/job/views/ownership.h"
#include "kml/ui/objects.h"
#include "kml/ui/table.h"

namespace kml::cli {

namespace {

constexpr size_t kLargestObject = size_t{4} << 20;

struct KindOptions {
  std::vector<std::string> names;
  std::string object, output;
};

std::string source_of(const job::JobKind& kind) {
  return kind.file.empty() ? "kml" : kind.file;
}

int run_kind_list(Context& context, const KindOptions& options) {
  Json items = Json::array();
  ui::Table table({"KIND", "TYPED AS", "API VERSION", "DESCRIBED BY"});
  const auto add = [&](std::string_view name, std::string_view word, const std::string& version,
                       const std::string& source) {
    items.push_back({{"kind", name}, {"word", word}, {"apiVersion", version}, {"describedBy", source}});
    table.add({{std::string(name)}, {std::string(word) + "/NAME"}, {version}, {source}});
  };
  for (const api::ResourceKind* kind : job::job_kinds())
    add(kind->kind, kind->singular, kind->api_version(), "kml");
  for (const job::JobKind* kind : job::described_kinds())
    add(kind->name, kind->word, kind->api_version(), source_of(*kind));
  if (options.output.empty())
    table.print(context.streams());
  else
    ui::print_value(context.streams(), items, options.output);
  return 0;
}

const job::JobKind& described(const std::string& name) {
  std::vector<std::string> known;
  for (const job::JobKind* kind : job::described_kinds()) {
    if (lower(name) == kind->word || lower(name) == lower(kind->name)) return *kind;
    known.push_back(kind->word);
  }
  for (const api::ResourceKind* kind : job::job_kinds())
    if (lower(name) == kind->singular)
      throw usage_error("no file describes the kind " + std::string(kind->kind),
                        "kml supports this kind without a description file",
                        "`kml kind list` shows which kinds are described");
  throw usage_error("no kind \"" + name + "\"", "",
                    suggestion(name, known, "`kml kind list` shows all kinds"));
}

int run_kind_show(Context& context, const KindOptions& options) {
  const job::JobKind& kind = described(options.names[0]);
  context.streams().out << kind.text;
  return 0;
}

/// Prints what the kind's description says about the object: its state, its pods and its pod templates.
void print_reading(Context& context, const job::JobKind& kind, const Json& object) {
  std::ostream& out = context.streams().out;
  job::DescribedState found = job::state_by_description(kind, object);
  if (kind.states.empty()) found.state = job::state_by_conditions(object, false);
  out << "  state: " << job::name_of(found.state) << (found.fault.empty() ? "" : ": " + found.fault) << "\n";
  const Json& label = kind.pod_label_value.first(object);
  out << "  pods: " << kind.pod_label << "="
      << (label.is_string() ? label.get<std::string>() : "(unknown yet)") << "\n";
  for (const job::JobKind::Templates& templates : kind.templates)
    for (const std::string& place : templates.path.places(object)) out << "  pod template: " << place << "\n";
}

/// The description in the file, which must not contradict kml's own or those of the user's other files.
job::JobKind checked_kind(const std::string& file, const std::vector<std::filesystem::path>& own) {
  job::JobKind kind = job::parse_kind(read_file(file, kLargestObject), file);
  kind.file = file;
  job::require_describable(kind);
  const bool is_in_use = std::find(own.begin(), own.end(), file) != own.end();
  for (const job::JobKind* other : job::described_kinds())
    if (is_in_use || other->file.empty()) job::require_distinct(kind, *other);
  return kind;
}

bool is_of_kind(const Json& object, const job::JobKind& kind) {
  const std::string version = string_at(object, {"apiVersion"});
  const std::string group =
      version.find('/') == std::string::npos ? "" : version.substr(0, version.find('/'));
  return string_at(object, {"kind"}) == kind.kind && group == kind.group;
}

int run_kind_check(Context& context, const KindOptions& options) {
  const std::vector<std::filesystem::path> own = job::kind_files();
  std::vector<std::string> files = options.names;
  if (files.empty())
    for (const std::filesystem::path& file : own) files.push_back(file.string());
  if (files.empty()) context.note("no files in " + (config_folder() / "kinds").string());
  Json object;
  if (!options.object.empty())
    object = yaml::to_json(yaml::parse_one(read_file(options.object, kLargestObject), options.object),
                           options.object);
  bool is_read = false;
  for (const std::string& file : files) {
    const bool is_file = file.find_first_of("./") != std::string::npos;
    const job::JobKind kind = is_file ? checked_kind(file, own) : described(file);
    context.streams().out << file << ": ok\n";
    if (!is_of_kind(object, kind)) continue;
    print_reading(context, kind, object);
    is_read = true;
  }
  if (!options.object.empty() && !is_read)
    throw usage_error(options.object + " does not contain an object of the described kind", "",
                      "`kml status JOB -o yaml` prints one");
  return 0;
}

}  // namespace

Command kind_command() {
  auto options = std::make_shared<KindOptions>();
  Command group{"kind", "List, show and check the kinds of jobs that kml knows"};
  group.description =
      R"(kml treats objects of these kinds as jobs, so `kml list`, `why`, `logs`, `cancel` and others work with them.
A YAML file in ~/.config/kml/kinds describes your own kind, or replaces a description that `kml kind show` prints, such
as `kml kind show rayjob`. The keys are:

- apiVersion, kind: the same values as in manifests of this kind
- podLabel: {key: LABEL}: the label of the job's pods. The label's value is the job's name or, with {key: LABEL, value:
  PATH}, the value at that path in the job.
- podTemplates: [{path: "spec.groups[*].template", count: size}]: the paths of the pod templates. count is the name of
the field, beside a template, that holds the number of the template's pods. If count is a list of names, the number is
the product of these fields. Without count, a template has one pod.
- podSpecs: the paths of pod specs that are not in a pod template. count is then a field of the pod spec.
- states: an expression for each state (waiting, running, suspended, succeeded, failed, cancelled), such as
failed: conditions.Failed == "True". The first true expression gives the state; if none is true, the job is waiting.
Without this key, the conditions Complete, Completed, Succeeded and Failed determine the state.
- suspend, resume, cancel: {patch: {spec: {paused: true}}} changes the job. {create: OBJECT} creates an object that
tells the kind's controller what to do, with the job's values in place of {name}, {namespace} and {uid}. resume:
{restore: PATH} restores the value that a field had before `kml suspend` changed it.
- queue, retries, timeLimit, ttl: the paths of the fields that --queue, --retries, --time-limit and --ttl of `kml submit`
set. Without queue, --queue sets Kueue's label of the job.
- started, finished, message: paths of the start time, the end time, and a message about the state
- indexLabels: [LABEL, ...]: labels that together identify a pod within its job. The value of the last label is a
number.
- plural, name, word: the kind's name in URLs, in kml's output, and on the command line
- operator: the name of the controller that runs such jobs

In an expression, a name is a path in the object, and `conditions.NAME` is the status of a condition. A missing field is
null, which only == and != can compare: `status.active != null && status.active > 0`. The operators are those of `when`
in a pipeline.

kml lists objects of a kind only if the server has that kind. If the server does not have the kind, kml checks again
after ten minutes.)";
  group.examples = "kml kind list\nkml kind show rayjob";

  Command list{"list", "List the kinds of jobs"};
  list.examples = "kml kind list\nkml kind list -o json";
  add_output_format(list, {"json", "yaml"}, options->output, "print the kinds as data")
      .details("Print the data in this format.");
  list.run = [options](Context& context) { return run_kind_list(context, *options); };

  Command show{"show", "Print the description of a kind"};
  show.examples = R"(kml kind show rayjob
# Start your own description from it
mkdir -p ~/.config/kml/kinds; kml kind show rayjob > ~/.config/kml/kinds/rayjob.yaml)";
  show.takes("KIND", options->names, "name of a kind", 1, 1);
  show.run = [options](Context& context) { return run_kind_show(context, *options); };

  Command check{"check", "Check descriptions of kinds"};
  check.description = "Without arguments, kml checks all files in ~/.config/kml/kinds.";
  check.examples = R"(kml kind check ./training.yaml
# Check a description with a job that `kml status JOB -o yaml` printed
kml kind check rayjob --on tune.yaml)";
  check.takes("KIND", options->names, "files with descriptions, or names of kinds", 0);
  check.option("--on", "FILE", options->object, "print how the description applies to the job in this file")
      .details(
          "Print the state of the job in this file, the label of its pods, and where its pod templates "
          "are, "
          "according to the description.");
  check.run = [options](Context& context) { return run_kind_check(context, *options); };

  group.subcommands = {list, show, check};
  for (Command& command : group.subcommands) command.has_target = false;
  return group;
}

}  // namespace kml::cli
