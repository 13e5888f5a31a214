#include "job/commands/submit_plan.h"

#include <algorithm>
#include <iostream>
#include <vector>

#include "kml/base/text.h"

namespace kml::cli {

namespace {

/// The flags as data. Leaves out defaults from kml.yaml and from environment variables, because `kml apply`
/// reads these again.
Json request_of(const SubmitFlags& flags) {
  Json settings = Json::array(), unknown = Json::array();
  for (const spec::Setting& setting : flags.settings) settings.push_back({setting.name, setting.value});
  for (const UnknownFlag& flag : flags.unknown) unknown.push_back({flag.name, or_null(flag.value)});
  return {
      {"settings", settings}, {"files", flags.files}, {"parameters", unknown}, {"command", flags.command}};
}

std::vector<std::string> texts_in(const Json& request, const char* name) {
  std::vector<std::string> texts;
  for (const Json& text : array_at(request, {name}))
    if (text.is_string()) texts.push_back(text);
  return texts;
}

SubmitFlags flags_of(const Json& request) {
  SubmitFlags flags;
  const auto text = [](const Json& pair, size_t i) {
    return pair.is_array() && pair.size() == 2 && pair[i].is_string() ? pair[i].get<std::string>() : "";
  };
  for (const Json& pair : array_at(request, {"settings"}))
    flags.settings.push_back({text(pair, 0), text(pair, 1), {spec::Source::flag, "--" + text(pair, 0)}});
  for (const Json& pair : array_at(request, {"parameters"}))
    flags.unknown.push_back(
        {text(pair, 0), pair[1].is_string() ? std::optional(text(pair, 1)) : std::nullopt, ""});
  flags.files = texts_in(request, "files");
  flags.command = texts_in(request, "command");
  return flags;
}

/// Throws a usage Error if a flag reads standard input, because `kml apply` could not read standard input
/// again.
void refuse_standard_input(const SubmitFlags& flags) {
  const bool is_secret = std::any_of(flags.settings.begin(), flags.settings.end(), [](const auto& setting) {
    return setting.name == "secret" && setting.value.ends_with("=-");
  });
  if (is_secret || std::find(flags.files.begin(), flags.files.end(), "-") != flags.files.end())
    throw usage_error("a plan cannot use standard input", "`kml apply` could not read standard input again",
                      is_secret ? "--secret NAME=@FILE, or export the variable" : "-f FILE");
}

/// The plan for this submit, with this idempotency key. All plans have the same submit-id.
job::SubmitPlan planned_with(job::SubmitRequest request, const std::string& key) {
  request.key = key;
  request.submit_id = job::kPlannedSubmitId;
  return job::plan_submit(request, std::cin);
}

Draft draft(Context& context, const job::SubmitRequest& request) {
  return draft_of(context, "submit", [&](const std::string& key) { return planned_with(request, key); });
}

}  // namespace

int write_plan(Context& context, const SubmitFlags& flags, const PlanFlags& plan) {
  refuse_standard_input(flags);
  Draft drafted = draft(context, submit_request(context, flags));
  drafted.file.request = request_of(flags);
  return write_draft(context, std::move(drafted), plan);
}

job::SubmitPlan plan_again(Context& context, const job::PlanFile& file) {
  const SubmitFlags flags = flags_of(file.request);
  refuse_standard_input(flags);
  job::SubmitRequest request = submit_request(context, flags);
  require_unchanged(file, draft(context, request).file);
  request.key = file.id;
  return plan(context, request, join(flags.files, ", "));
}

}  // namespace kml::cli
