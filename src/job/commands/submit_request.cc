#include "job/commands/submit_request.h"

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <iterator>

#include "job/commands/left_out_secrets.h"
#include "kml/base/flag_errors.h"
#include "kml/base/text.h"
#include "kml/job/preflight/preflight.h"
#include "kml/job/render/render.h"
#include "kml/job/spec/trust.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/names.h"
#include "kml/kube/objects/object.h"

namespace kml::cli {

namespace {

/// The headings under which help lists the flags of submit, in order. Includes headings of flags that are not
/// in the table.
constexpr const char* kHeadings[] = {"What runs",        "Packages and images",     "Resources",
                                     "Data and secrets", "Where it runs",           "Queue and priority",
                                     "Schedule",         "Retries and time limits", "Labels and identity",
                                     "Follow and wait",  "Checks and output"};

}  // namespace

std::pair<std::string, std::string> split_pair(const std::string& text) {
  const size_t equals = text.find('=');
  return {text.substr(0, equals), equals == std::string::npos ? "" : text.substr(equals + 1)};
}

namespace {

/// The environment variable for the flag's default, as the man page shows it.
std::string shown_variable(const spec::Flag& flag) {
  return flag.key.empty() || flag.repeats ? "" : " [env: " + spec::variable_name(flag.key) + "]";
}

}  // namespace

void add_spec_flags(Command& command, std::vector<spec::Setting>& settings,
                    std::initializer_list<std::string_view> without, const OtherHeadings& others) {
  const auto heading_of = [&](std::string_view heading) {
    const auto other = others.find(heading);
    return std::string(other == others.end() ? heading : other->second);
  };
  for (const char* heading : kHeadings) command.options_under(heading_of(heading));
  // If a command has a --param of its own, a template's parameter is set only by the short form, -p.
  const bool has_param = command.find("--param") != nullptr;
  for (const spec::Flag& flag : spec::submit_flags()) {
    if (std::find(without.begin(), without.end(), flag.name) != without.end()) continue;
    const std::string name(flag.name), letter(flag.letter);
    const std::string typed = has_param && name == "param" ? letter : "--" + name;
    auto accept = [&settings, name, typed](const std::string& value) {
      settings.push_back({name, value, {spec::Source::flag, typed}});
    };
    command.options_under(heading_of(flag.heading));
    command
        .add({letter.empty() || typed == letter ? typed : letter + "," + typed,
              std::string(flag.value),
              std::string(flag.help),
              flag.repeats,
              {},
              accept,
              std::string(flag.implied)})
        .details(std::string(flag.details) + (command.name == "submit" ? shown_variable(flag) : ""))
        .after(std::string(flag.after));
  }
}

namespace {

/// Prints the settings from kml.yaml before anything is sent, or throws Error if they need the user's trust.
/// If there are manifests, only the context and the namespace come from kml.yaml.
void answer_for_project_file(Context& context, const std::vector<spec::Setting>& flags, bool has_manifests) {
  std::vector<spec::Setting> settings = context.settings_with(flags);
  if (has_manifests)
    std::erase_if(settings, [](const spec::Setting& setting) {
      return setting.name != "context" && setting.name != "namespace";
    });
  else if (auto error = context.distrust(flags))
    throw std::move(*error);
  context.place();
  if (const auto keys = spec::project_keys(settings); !keys.empty())
    context.note(context.config().project->shown + " sets " + join(keys, ", "));
}

void refuse_template(const std::vector<spec::Setting>& settings) {
  for (const spec::Setting& setting : settings)
    if (setting.name == "template") throw not_together("-t", "-f");
}

bool has_standard_input(const std::vector<std::string>& files) {
  return std::find(files.begin(), files.end(), "-") != files.end();
}

Error unnamed_error(const std::vector<Json>& objects, const std::vector<render::Remark>& unnamed) {
  const std::string kind = api::kind_name(objects.at(unnamed[0].object));
  Error error = usage_error(unnamed.size() == 1 ? "a manifest has no name: kind " + kind
                                                : std::to_string(unnamed.size()) + " manifests have no name",
                            "", "add metadata.name to the manifest, or for a single job use --name NAME");
  for (const render::Remark& one : unnamed) error.problems.push_back(one.problem);
  return error;
}

/// Asks the user for a name. Empty at the end of input.
std::string typed_name(Context& context, const Json& object, const Problem& place) {
  std::ostream& err = context.streams().err;
  for (;;) {
    err << "name of the " << api::kind_name(object) << " in " << place.file << ":" << place.line << ": "
        << std::flush;
    std::string line;
    if (!std::getline(std::cin, line)) return {};
    std::string name(trim(line));
    const std::string problem =
        job::is_job(object) ? api::dns_label_problem(name) : api::dns_subdomain_problem(name);
    if (problem.empty()) return name;
    context.note("\"" + name + "\" " + problem);
  }
}

/// Asks for missing names. kml does not generate a name here, because the user could not find that name in
/// the file.
void name_the_unnamed(Context& context, const SubmitFlags& flags, std::vector<Json>& objects,
                      std::vector<render::Remark> unnamed) {
  if (std::any_of(flags.settings.begin(), flags.settings.end(),
                  [](const spec::Setting& setting) { return setting.name == "name"; }))
    std::erase_if(unnamed, [&](const render::Remark& one) { return job::is_job(objects.at(one.object)); });
  if (unnamed.empty()) return;
  const bool can_ask =
      ::isatty(STDIN_FILENO) == 1 && context.streams().err_is_terminal && !has_standard_input(flags.files);
  for (const render::Remark& one : unnamed) {
    Json& object = objects.at(one.object);
    const std::string name = can_ask ? typed_name(context, object, one.problem) : "";
    if (name.empty()) throw unnamed_error(objects, unnamed);
    object["metadata"]["name"] = name;
  }
}

/// Adds the files' objects to the request.
void read_manifests(Context& context, const SubmitFlags& flags, job::SubmitRequest& request) {
  std::string standard_input;
  if (has_standard_input(flags.files)) standard_input.assign(std::istreambuf_iterator<char>(std::cin), {});
  render::Remarks remarks;
  request.manifests = render::load_manifests(flags.files, standard_input, flags.checks_fields, &remarks);
  refuse_left_out_secrets(*request.manifests);
  name_the_unnamed(context, flags, *request.manifests, std::move(remarks.unnamed));
  request.unknown_fields = std::move(remarks.unknown);
}

/// Removes the data that kml.yaml lists, for a command whose pods do not fetch data.
void leave_out_data(Context& context, std::vector<spec::Setting>& settings) {
  const auto left_out =
      std::erase_if(settings, [](const spec::Setting& setting) { return setting.name == "data"; });
  std::erase_if(settings, [](const spec::Setting& setting) { return setting.name == "data-store"; });
  if (left_out > 0) context.note("kml.yaml lists data, but the pods of this command do not fetch it");
}

}  // namespace

job::SubmitRequest submit_request(Context& context, const SubmitFlags& flags,
                                  std::optional<std::vector<Json>> manifests) {
  const bool has_manifests = manifests || !flags.files.empty();
  if (has_manifests) refuse_template(flags.settings);
  answer_for_project_file(context, flags.settings, has_manifests);
  job::SubmitRequest request;
  // A manifest is complete, so defaults are not applied to it. They are for values that a template leaves
  // open.
  if (!has_manifests) request.settings = context.config().submit_settings();
  if (!flags.fetches_data) leave_out_data(context, request.settings);
  request.settings.insert(request.settings.end(), flags.settings.begin(), flags.settings.end());
  request.unknown = flags.unknown;
  request.command = flags.command;
  request.manifests = std::move(manifests);
  if (!request.manifests && !flags.files.empty()) read_manifests(context, flags, request);
  request.reads_standard_input = has_standard_input(flags.files);
  request.template_folders = context.config().template_folders();
  request.namespace_name = context.place().namespace_name;
  request.is_namespace_given = !context.options().namespace_name.empty();
  request.is_local = context.place().is_local;
  request.keeps_claims = flags.keeps_claims;
  request.claims_gpus = flags.claims_gpus;
  request.key = flags.key;
  request.usage = flags.usage;
  request.typed = context.options().typed;
  return request;
}

job::SubmitPlan plan(Context& context, const job::SubmitRequest& request, const std::string& source) {
  job::SubmitPlan plan = job::plan_submit(request, std::cin);
  if (request.manifests)
    if (const std::vector<std::string> taken = job::taken_by(*request.manifests); !taken.empty())
      context.note(source + " uses " + join(taken, ", "));
  return plan;
}

job::SubmitPlan plan(Context& context, const SubmitFlags& flags) {
  return plan(context, submit_request(context, flags), join(flags.files, ", "));
}

}  // namespace kml::cli
