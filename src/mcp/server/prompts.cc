#include "mcp/server/prompts.h"

#include <string>

#include "kml/base/text.h"
#include "mcp/tools/answer.h"
#include "mcp/tools/argument_names.h"

namespace kml::mcp {

namespace {

struct PromptRow {
  const char* name;
  const char* description;
  const char* argument;
  const char* about_argument;
  const char* before;  ///< the prompt's text before the argument
  const char* after;
};

constexpr PromptRow kPrompts[] = {
    {"diagnose", "Find out why a job does not run or has failed", "job", "name of the job",
     "Find out why the job ",
     " does not run, or why it failed. Call the tool why first: cause.code names the cause, and "
     "cause.remedies "
     "lists what helps, the best first. Read the log only if why does not explain the failure. Then tell me "
     "the "
     "cause, who holds what is missing, and the first remedy. Change nothing unless I ask you to."},
    {"compare", "Compare runs, and say which parameters helped", "runs", "names of runs, or a condition",
     "Compare these runs: ",
     ". Call the tool runs. Say which parameters differ, which metrics are better, and what to try next."},
    {"tune", "Plan a few jobs that search for good parameters", "goal",
     "the metric, and the program with its flags", "Tune this program: ",
     ". Call the tool runs to see what was tried. For each job that you propose, call the tool plan with a "
     "time "
     "limit, and show me the plans with their GPU hours. Apply a plan only after I have approved it."},
};

}  // namespace

Json prompts() {
  Json list = Json::array();
  for (const PromptRow& row : kPrompts)
    list.push_back(
        {{"name", row.name},
         {"description", row.description},
         {"arguments", {{{"name", row.argument}, {"description", row.about_argument}, {"required", true}}}}});
  return {{"prompts", list}};
}

namespace {

Refusal missing_argument_of(const std::string& argument, const Json& arguments) {
  Refusal refusal{Fault::invalid_params, "argument " + argument + " is missing"};
  for (const auto& [name, value] : arguments.items())
    if (name != argument) {
      refusal.text += "; the prompt has no argument \"" + cleaned_text(name) + "\"";
      refusal.data = {{"fix", fix_for_name(name, {argument})}};
    }
  return refusal;
}

}  // namespace

std::variant<Json, Refusal> prompt(const Json& params) {
  const std::string name = string_at(params, {"name"});
  for (const PromptRow& row : kPrompts) {
    if (name != row.name) continue;
    const std::string given = string_at(params, {"arguments", row.argument});
    if (given.empty()) return missing_argument_of(row.argument, object_at(params, {"arguments"}));
    const std::string text = row.before + cleaned_text(given) + row.after;
    return Json{{"description", row.description},
                {"messages", {{{"role", "user"}, {"content", {{"type", "text"}, {"text", text}}}}}}};
  }
  return Refusal{Fault::invalid_params, "unknown prompt " + cleaned_text(name)};
}

}  // namespace kml::mcp
