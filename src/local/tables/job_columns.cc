#include <fmt/format.h>

#include "kml/core/text.h"
#include "local/store/object.h"
#include "local/tables/table_columns.h"

namespace kml::local {

namespace {

std::string job_status(const Json& job) {
  if (api::condition_is_true(job, "Complete")) return "Complete";
  if (api::condition_is_true(job, "Failed")) return "Failed";
  if (is_being_deleted(job)) return "Terminating";
  for (const char* type : {"Suspended", "FailureTarget", "SuccessCriteriaMet"})
    if (api::condition_is_true(job, type)) return type;
  return "Running";
}

std::string completions_of(const Json& job) {
  const int64_t succeeded = int_at(job, {"status", "succeeded"}),
                wanted = int_at(job, {"spec", "completions"}, -1),
                parallelism = int_at(job, {"spec", "parallelism"});
  if (wanted >= 0) return fmt::format("{}/{}", succeeded, wanted);
  return parallelism > 1 ? fmt::format("{}/1 of {}", succeeded, parallelism) : fmt::format("{}/1", succeeded);
}

std::string duration_of(const Json& job, Time now) {
  const std::string start = string_at(job, {"status", "startTime"});
  if (start.empty()) return "";
  return age_since(start, parse_rfc3339(string_at(job, {"status", "completionTime"})).value_or(now));
}

std::string of_containers(const Json& job, const char* field) {
  std::vector<std::string> values;
  for (const Json& container : array_at(job, {"spec", "template", "spec", "containers"}))
    values.push_back(string_at(container, {field}));
  return join(values, ",");
}

/// metav1.FormatLabelSelector of the selectors that Jobs have.
std::string job_selector(const Json& job) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : object_at(job, {"spec", "selector", "matchLabels"}).items())
    parts.push_back(key + "=" + (value.is_string() ? value.get<std::string>() : ""));
  return or_none(join(parts, ","));
}

}  // namespace

const TableColumns kJobColumns{{{.name = "Name", .format = "name"},
                                {"Status"},
                                {"Completions"},
                                {"Duration"},
                                {"Age"},
                                {"Containers", true},
                                {"Images", true},
                                {"Selector", true}},
                               [](const Json& job, Time now) {
                                 return Json{name_of(job),
                                             job_status(job),
                                             completions_of(job),
                                             duration_of(job, now),
                                             age_of(job, now),
                                             of_containers(job, "name"),
                                             of_containers(job, "image"),
                                             job_selector(job)};
                               }};

const TableColumns kPyTorchJobColumns{
    {{.name = "Name", .format = "name"}, {"State"}, {.name = "Age", .type = "date"}},
    [](const Json& job, Time now) {
      const Json& conditions = array_at(job, {"status", "conditions"});
      return Json{name_of(job), conditions.empty() ? Json() : Json(string_at(conditions.back(), {"type"})),
                  age_of(job, now)};
    }};

}  // namespace kml::local
