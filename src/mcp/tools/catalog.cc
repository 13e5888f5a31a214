#include "mcp/tools/catalog.h"

#include <algorithm>
#include <array>

#include "cli/output_schemas.h"
#include "kml/base/text.h"

namespace kml::mcp {

namespace {

using cli::Command;
using cli::Option;

struct Row {
  const char* command;
  const char* name = "";  ///< the name of the tool; by default, the command's words joined by "_"
  ToolKind kind = ToolKind::command;
  std::string_view permission = {};
  bool is_destructive = false;
  std::string_view only = {};  ///< the options that the tool offers; empty means all that are not in kLeftOut
};

constexpr std::array kRows = {
    Row{"list", "", ToolKind::list},
    Row{"queue"},
    Row{"why"},
    Row{"status"},
    Row{"logs", "", ToolKind::logs},
    Row{"wait", "", ToolKind::command, "", false, "--for --timeout"},
    Row{"top nodes"},
    Row{"top jobs"},
    Row{"history"},
    Row{"runs"},
    Row{"submit", "plan", ToolKind::plan},
    Row{"apply", "", ToolKind::apply, "submit"},
    Row{"cancel", "", ToolKind::own_jobs, "cancel", true},
    Row{"delete", "", ToolKind::own_jobs, "delete", true},
    Row{"suspend", "", ToolKind::own_jobs, "suspend"},
    Row{"resume", "", ToolKind::own_jobs, "suspend"},
};

/// What the tool `plan` can plan.
struct PlanRow {
  const char* kind;
  const char* command;
};

constexpr std::array kPlanRows = {PlanRow{"submit", "submit"}, PlanRow{"rerun", "rerun"},
                                  PlanRow{"sweep", "sweep run"}, PlanRow{"run", "run"},
                                  PlanRow{"serve", "serve"}};

/// The arguments of `plan` in its schema. The others are flags.
constexpr std::string_view kListed =
    " name image env code chdir gpus nodes cpu memory mount secret array template param retries time-limit "
    "queue priority uv command run set-arg failed maximize minimize trials parallel file port replicas "
    "ready ";

/// Descriptions for arguments that several kinds of plans have, each with a different description.
constexpr std::array kShared = std::to_array<std::pair<std::string_view, std::string_view>>(
    {{"name", "name of the job, sweep, run or served program"},
     {"param", "sweep: values to try: lr=log:1e-4..1e-1, batch=32,64; others: NAME=VALUE"},
     {"env", "NAME=VALUE; for a secret value, use secret"},
     {"secret", "NAME, if the user allowed it, or NAME=@FILE"},
     {"command", "the program and its arguments; in a sweep, with {args} or {lr}"},
     {"template", "a name from `kml template list`"}});

/// Options that are useless or rarely needed for a program, or that would contradict a tool's annotations.
/// All tools together are read by a model, so they must be short.
constexpr std::array kLeftOut = std::to_array<std::string_view>({"--output",
                                                                 "--no-headers",
                                                                 "--watch",
                                                                 "--follow",
                                                                 "--live",
                                                                 "--save",
                                                                 "--keep",
                                                                 "--raw",
                                                                 "--timestamps",
                                                                 "--highlight",
                                                                 "--propagate-exit",
                                                                 "--metrics",
                                                                 "--columns",
                                                                 "--notify",
                                                                 "--wait",
                                                                 "--timeout",
                                                                 "--plan",
                                                                 "--dry-run",
                                                                 "--test-only",
                                                                 "--no-check",
                                                                 "--replace",
                                                                 "--fork",
                                                                 "--detach",
                                                                 "--journal-volume",
                                                                 "--scheduled",
                                                                 "--idempotency-key",
                                                                 "--after",
                                                                 "--yes",
                                                                 "--in-cluster",
                                                                 "--env-store",
                                                                 "--ttl",
                                                                 "--engine-image",
                                                                 "--engine-account",
                                                                 "--cron",
                                                                 "--every",
                                                                 "--at",
                                                                 "--tz",
                                                                 "--input",
                                                                 "--store",
                                                                 "--file",
                                                                 "--image-append",
                                                                 "--data",
                                                                 "--data-store",
                                                                 "--platform",
                                                                 "--insecure",
                                                                 "--track",
                                                                 "--hang-debug",
                                                                 "--first-error",
                                                                 "--sort",
                                                                 "--all-events",
                                                                 "--set",
                                                                 "--pull-secret",
                                                                 "--service-account",
                                                                 "--selector",
                                                                 "-o",
                                                                 "--annotation",
                                                                 "--pod-selector",
                                                                 "--since-time",
                                                                 "--until",
                                                                 "--attempt",
                                                                 "--sweep",
                                                                 "--all-ranks"});

const Command* command_at(const Command& root, const std::vector<std::string>& words) {
  const Command* at = &root;
  for (const std::string& word : words) {
    const auto found = std::find_if(at->subcommands.begin(), at->subcommands.end(),
                                    [&](const Command& each) { return each.name == word; });
    if (found == at->subcommands.end()) return nullptr;
    at = &*found;
  }
  return at;
}

bool is_offered(const Option& option, const Row& row, const Permissions& permissions) {
  const std::string name = option.long_name();
  if (!name.starts_with("--")) return false;
  if (!row.only.empty()) {
    const std::vector<std::string> only = split(row.only, ' ');
    return std::find(only.begin(), only.end(), name) != only.end();
  }
  if (name == "--all-namespaces" && permissions.has_fixed_namespace) return false;
  return std::find(kLeftOut.begin(), kLeftOut.end(), name) == kLeftOut.end();
}

/// The option's help, without the words about --sort, which no tool offers.
std::string help_of(const Option& option) {
  std::string help = option.help;
  if (const size_t begin = help.find(" or, with --sort"); begin != std::string::npos)
    help.erase(begin, std::min(help.find(" [", begin), help.size()) - begin);
  return help;
}

Tool::Property property_of(const Option& option) {
  Tool::Property property;
  property.flag = option.long_name();
  property.name = property.flag.substr(property.flag.find_first_not_of('-'));
  property.help = help_of(option);
  property.choices = option.choices;
  property.value_name = option.value_name;
  property.has_value = !option.value_name.empty();
  property.takes_next = option.takes_next();
  property.repeats = option.repeats;
  property.is_number = option.value_name == "N";
  return property;
}

Tool::Property argument_of(const cli::Words& words) {
  Tool::Property property;
  property.name = words.max > 1 ? "names" : lower(words.name);
  property.help = words.help;
  property.repeats = words.max > 1;
  property.is_required = words.min > 0;
  return property;
}

std::vector<Tool::Property> properties_of(const Command& command, const Row& row,
                                          const Permissions& permissions) {
  if (row.kind == ToolKind::apply)
    return {{.name = "plan", .flag = "", .help = "the id that the tool plan returned", .is_required = true}};
  if (row.kind == ToolKind::own_jobs)
    return {{.name = "names",
             .flag = "",
             .help = row.permission == "cancel" ? "names of jobs, or sweep/NAME, run/NAME, serve/NAME"
                                                : "names of jobs",
             .repeats = true,
             .is_required = true}};
  std::vector<Tool::Property> properties;
  if (command.words.max > 0 && !command.words.by_flag) properties.push_back(argument_of(command.words));
  if (command.argv)
    properties.push_back({.name = "command",
                          .flag = "",
                          .help = "the program to run and its arguments",
                          .repeats = true,
                          .is_program = true});
  for (const Option& option : command.options)
    if (is_offered(option, row, permissions)) properties.push_back(property_of(option));
  return properties;
}

Json schema_of(const Tool::Property& property) {
  Json schema = {{"type", !property.has_value ? "boolean" : property.is_number ? "integer" : "string"}};
  if (!property.choices.empty()) schema["enum"] = property.choices;
  if (property.repeats) schema = {{"type", "array"}, {"items", std::move(schema)}};
  schema["description"] = property.help;
  return schema;
}

Json object_schema(Json properties, const Json& required) {
  Json schema = {{"type", "object"}, {"properties", std::move(properties)}};
  if (!required.empty()) schema["required"] = required;
  return schema;
}

/// A description for all kinds of plans that have the argument. Names these kinds, unless jobs have the
/// argument, too.
std::string shared_help(const Tool& plan, const std::string& name) {
  for (const auto& [shared, help] : kShared)
    if (shared == name) return std::string(help);
  std::vector<std::string> kinds;
  std::string help;
  for (const Tool& kind : plan.kinds)
    for (const Tool::Property& property : kind.properties) {
      if (property.name != name) continue;
      kinds.push_back(kind.name);
      if (help.empty()) help = property.help.substr(0, property.help.find("; "));
    }
  return kinds[0] == "submit" ? help : join(kinds, ", ") + ": " + help;
}

Json schema_of_plan(const Tool& tool) {
  Json properties = Json::object(), kinds = Json::array();
  for (const Tool& kind : tool.kinds) {
    kinds.push_back(kind.name);
    for (Tool::Property property : kind.properties) {
      if (!property.is_listed || properties.contains(property.name)) continue;
      property.help = shared_help(tool, property.name);
      properties[property.name] = schema_of(property);
    }
  }
  properties["kind"] = {{"enum", kinds}, {"default", "submit"}};
  properties["flags"] = {{"type", "array"},
                         {"items", {{"type", "string"}}},
                         {"description", "other flags of the command: --shm=16Gi, --algorithm=tpe"}};
  return object_schema(std::move(properties), Json::array());
}

Json input_schema(const Tool& tool) {
  if (!tool.kinds.empty()) return schema_of_plan(tool);
  Json properties = Json::object(), required = Json::array();
  for (const Tool::Property& property : tool.properties) {
    properties[property.name] = schema_of(property);
    if (property.is_required) required.push_back(property.name);
  }
  return object_schema(std::move(properties), required);
}

/// The schema of an answer: only the outermost type of what the command prints. `kml schema` and the resource
/// kml://schema/COMMAND have the whole schema.
Json output_schema(const Tool& tool) {
  Json data = {{"type", "object"}};
  if (tool.kind == ToolKind::list) data = {{"type", {"array", "object"}}};
  if (tool.kind == ToolKind::command)
    for (const cli::OutputSchema& schema : cli::output_schemas())
      if (schema.name == join(tool.words, "-")) {
        const Json whole = parse_json(schema.text, schema.name);
        data = whole.contains("type") ? Json{{"type", whole["type"]}} : Json::object();
        if (string_at(data, {"type"}) == "object" && whole.contains("required"))
          data["required"] = whole["required"];
      }
  return {{"type", "object"}, {"properties", {{"data", std::move(data)}}}};
}

}  // namespace

bool Permissions::allows(std::string_view word) const {
  return word.empty() || std::find(allowed.begin(), allowed.end(), word) != allowed.end();
}

std::string_view permission_to_apply(std::string_view command) {
  return command == "rerun" ? "submit" : command;
}

const std::vector<cli::Entry>& permission_words() {
  static const std::vector<cli::Entry> kWords = {
      {"submit", "create jobs by applying their plans, including plans that run a job again"},
      {"sweep", "start sweeps by applying their plans"},
      {"run", "start pipeline runs by applying their plans"},
      {"serve", "serve programs by applying their plans"},
      {"cancel", "cancel jobs that this server created, and stop its sweeps, runs and served programs"},
      {"delete", "delete jobs that this server created"},
      {"suspend",
       "suspend and resume jobs that this server created; kml counts a resumed job again for "
       "--max-gpu-hours"},
      {"others", "extend cancel, delete and suspend to what this server did not create"}};
  return kWords;
}

namespace {

/// The tools for the kinds of plans.
std::vector<Tool> kinds_of_plans(const Command& root, const Permissions& permissions) {
  std::vector<Tool> kinds;
  for (const PlanRow& row : kPlanRows) {
    Tool kind;
    kind.name = row.kind;
    kind.kind = ToolKind::plan;
    kind.words = split(row.command, ' ');
    const Command* command = command_at(root, kind.words);
    if (!command) continue;  // this build does not have the command
    kind.properties = properties_of(*command, Row{row.command}, permissions);
    for (Tool::Property& property : kind.properties) {
      property.is_required = false;  // other kinds of plans may not need the argument
      property.is_listed = contains(std::string(kListed), " " + property.name + " ");
    }
    kinds.push_back(std::move(kind));
  }
  return kinds;
}

bool is_allowed(const Row& row, const Permissions& permissions) {
  if (row.kind != ToolKind::apply) return permissions.allows(row.permission);
  return std::any_of(kPlanRows.begin(), kPlanRows.end(),
                     [&](const PlanRow& plan) { return permissions.allows(permission_to_apply(plan.kind)); });
}

}  // namespace

std::vector<Tool> tools_of(const Command& root, const Permissions& permissions) {
  std::vector<Tool> tools;
  for (const Row& row : kRows) {
    if (!is_allowed(row, permissions)) continue;
    Tool tool;
    tool.words = split(row.command, ' ');
    const Command* command = command_at(root, tool.words);
    if (!command) continue;  // this build does not have the command
    tool.name = *row.name ? row.name : join(tool.words, "_");
    tool.kind = row.kind;
    tool.summary = row.kind == ToolKind::plan
                       ? "Plan a job, rerun, sweep, pipeline run or served program: check it and show what "
                         "would start. Starts nothing; to start it, call apply"
                       : command->summary;
    tool.permission = row.permission;
    tool.is_destructive = row.is_destructive;
    tool.has_data = command->find("--output") != nullptr;
    tool.properties = properties_of(*command, row, permissions);
    if (row.kind == ToolKind::plan) tool.kinds = kinds_of_plans(root, permissions);
    tools.push_back(std::move(tool));
  }
  return tools;
}

Json description_of(const Tool& tool) {
  Json annotations = {{"readOnlyHint", tool.permission.empty()}};
  if (!tool.permission.empty())
    annotations.update({{"destructiveHint", tool.is_destructive}, {"idempotentHint", true}});
  return {{"name", tool.name},
          {"description", tool.summary},
          {"inputSchema", input_schema(tool)},
          {"outputSchema", output_schema(tool)},
          {"annotations", std::move(annotations)}};
}

}  // namespace kml::mcp
