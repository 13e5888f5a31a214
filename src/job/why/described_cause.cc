#include "job/why/causes.h"
#include "kml/job/kinds/job_kind.h"
#include "kml/job/why/cause.h"
#include "kml/kube/objects/object.h"

namespace kml::job {

std::string told_by_description(const Json& job) {
  const JobKind* kind = described_kind_of(job);
  if (!kind) return {};
  const Json& message = kind->message.first(job);
  return message.is_string() ? message.get<std::string>() : "";
}

std::optional<Cause> described_cause(const Facts& facts) {
  const JobKind* kind = described_kind_of(facts.job);
  if (!kind) return {};
  const auto [state, fault] = state_by_description(*kind, facts.job);
  const std::string name = api::name_of(facts.job);
  if (state == State::unknown) {
    Cause cause = make_cause(CauseCode::state_unknown, fault, "its state is unknown: " + fault);
    cause.remedies = {{"correct the description of its kind", "kml kind check " + kind->name}};
    return cause;
  }
  if (state != State::suspended) return {};
  Cause cause = make_cause(CauseCode::suspended, "", "is suspended");
  if (!kind->resume.is_null()) {
    cause.brief = "`kml resume " + name + "` starts it";
    cause.remedies = {{"resume it", "kml resume " + name}};
  }
  return cause;
}

}  // namespace kml::job
