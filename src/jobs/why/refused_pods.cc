#include "jobs/why/refused_pods.h"

#include <fmt/format.h>

#include <array>

#include "jobs/why/codes.h"
#include "jobs/why/quota_cause.h"
#include "kml/api/event.h"
#include "kml/api/object.h"

namespace kml::jobs {

namespace {

constexpr std::array<std::string_view, 2> kFailedCreate = {"FailedCreate", "FailedCreatePod"};
constexpr std::array<std::string_view, 2> kCreated = {"SuccessfulCreate", "SuccessfulCreatePod"};

/// Between the quotes that follow `before`.
std::string quoted_after(const std::string& text, std::string_view before) {
  const size_t at = text.find(before);
  if (at == std::string::npos) return {};
  const size_t open = at + before.size(), close = text.find('"', open);
  return close == std::string::npos ? "" : text.substr(open, close - open);
}

/// `pods "x" is forbidden: WHY` without what says nothing to a person.
std::string shortened(const std::string& message) {
  constexpr std::string_view kForbidden = "is forbidden: ", kCreating = "Error creating: ";
  if (const size_t at = message.find(kForbidden); at != std::string::npos)
    return message.substr(at + kForbidden.size());
  return message.starts_with(kCreating) ? message.substr(kCreating.size()) : message;
}

}  // namespace

Cause cause_of_refusal(const Facts& facts, const std::string& message) {
  const std::string where = api::namespace_of(facts.job), text = shortened(message);
  const auto made = [&](CauseCode code, std::string brief, std::string summary, Remedy remedy) {
    Cause cause = make_cause(code, std::move(brief), std::move(summary));
    cause.remedies = {std::move(remedy)};
    return cause;
  };
  Cause cause;
  if (auto quota = cause_of_quota_refusal(facts, text)) {
    cause = *quota;
  } else if (const std::string account = quoted_after(text, "serviceaccount \"");
             !account.empty() && text.find("not found") != std::string::npos) {
    cause = made(CauseCode::service_account_missing, "no service account " + account,
                 fmt::format("service account {} does not exist in namespace {}", account, where),
                 {"make it; the job then starts by itself",
                  fmt::format("kubectl -n {} create serviceaccount {}", where, account)});
  } else if (text.find("no PriorityClass with name") != std::string::npos) {
    const size_t at = text.find("with name ") + 10;
    const std::string name = text.substr(at, text.find(' ', at) - at);
    cause = made(CauseCode::priority_class_missing, "no priority class " + name,
                 fmt::format("priority class {} does not exist", name),
                 {"submit it again with one that exists: kubectl get priorityclasses",
                  "kml submit --priority CLASS …"});
  } else if (text.find("PodSecurity") != std::string::npos) {
    cause = made(CauseCode::pod_security, "forbidden by pod security",
                 fmt::format("the pod security standard of namespace {} forbids its pods: {}", where, text),
                 {"change the pod as it says, or ask for another namespace", ""});
  } else if (text.find("usage per ") != std::string::npos || text.find("limit per ") != std::string::npos ||
             text.find("LimitRange") != std::string::npos) {
    cause = made(CauseCode::limit_range, "outside the namespace's limits: " + text,
                 fmt::format("a limit range of namespace {} refuses its pods: {}", where, text),
                 {"ask for what it allows", fmt::format("kubectl -n {} describe limitrange", where)});
  } else {
    cause = made(CauseCode::pods_refused, "pods refused: " + text, "the server refuses its pods: " + text,
                 {"change what it names", ""});
  }
  cause.message = message;
  return cause;
}

std::optional<Cause> refused_pods(const Facts& facts) {
  const Json* failed = newest_event(facts, facts.job, kFailedCreate);
  const Json* created = newest_event(facts, facts.job, kCreated);
  if (!failed || (created && api::time_of_event(*created) > api::time_of_event(*failed))) return {};
  return cause_of_refusal(facts, string_at(*failed, {"message"}));
}

}  // namespace kml::jobs
