#include "kml/base/error.h"
#include "kml/job/kinds/job_kind.h"
#include "kml/kube/objects/object.h"

namespace kml::job {

namespace {

/// The value of a name in an expression: the value at that path in the job or, for a name such as
/// `conditions.Ready`, the status of the condition. Null if the job does not have it.
Json value_in(const Json& job, const std::string& name) {
  constexpr std::string_view kConditions = "conditions.";
  if (name.starts_with(kConditions)) {
    const api::Condition condition = api::condition(job, name.substr(kConditions.size()));
    return condition ? Json(condition.status()) : Json();
  }
  return ObjectPath(name).first(job);
}

std::string with_each(std::string text, std::string_view placeholder, const std::string& value) {
  for (size_t at = text.find(placeholder); at != std::string::npos;
       at = text.find(placeholder, at + value.size()))
    text.replace(at, placeholder.size(), value);
  return text;
}

std::string replaced_in(std::string text, const Json& job) {
  text = with_each(std::move(text), "{name}", api::name_of(job));
  text = with_each(std::move(text), "{namespace}", api::namespace_of(job));
  return with_each(std::move(text), "{uid}", api::uid_of(job));
}

}  // namespace

DescribedState state_by_description(const JobKind& kind, const Json& job) {
  for (const JobKind::Rule& rule : kind.states) try {
      if (rule.holds.holds([&](const std::string& name) { return value_in(job, name); }))
        return {rule.state, ""};
    } catch (const Error& error) {
      return {State::unknown, "`" + in_words(rule.state) + ": " + rule.holds.text() + "` of kind " +
                                  kind.name + " cannot be evaluated: " + error.message};
    }
  return {};
}

Json filled_action(const Json& action, const Json& job) {
  if (action.is_string()) return replaced_in(action.get<std::string>(), job);
  Json filled = action;
  if (action.is_structured())
    for (Json& value : filled) value = filled_action(value, job);
  return filled;
}

}  // namespace kml::job
