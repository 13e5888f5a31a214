#include "jobs/why/quota_cause.h"

#include <fmt/format.h>

#include <algorithm>

#include "jobs/why/codes.h"
#include "jobs/why/holders.h"
#include "jobs/why/refused_pods.h"
#include "jobs/why/room.h"
#include "kml/api/object.h"
#include "kml/api/pod_requests.h"
#include "kml/api/quantity.h"
#include "kml/core/text.h"
#include "kml/jobs/views/kinds.h"

namespace kml::jobs {

namespace {

using api::Amounts;

/// "requests.cpu=1,pods=2" as amounts.
Amounts amounts_in(std::string_view text) {
  Amounts amounts;
  for (const std::string& entry : split(text, ','))
    if (const size_t equals = entry.rfind('='); equals != std::string::npos)
      amounts[std::string(trim(entry.substr(0, equals)))] =
          api::quantity_milli(trim(std::string_view(entry).substr(equals + 1))).value_or(0);
  return amounts;
}

/// What follows the word, up to the next ", word:" or the end.
std::string part_of(const std::string& text, std::string_view word, std::string_view next) {
  const size_t at = text.find(word);
  if (at == std::string::npos) return {};
  const size_t from = at + word.size(), to = next.empty() ? std::string::npos : text.find(next, from);
  return text.substr(from, to == std::string::npos ? to : to - from);
}

/// The resource of a pod that a quota's entry counts.
std::string resource_of(const std::string& entry) {
  for (std::string_view prefix : {"requests.", "limits."})
    if (entry.starts_with(prefix)) return entry.substr(prefix.size());
  return entry == "count/pods" ? "pods" : entry;
}

Cause quota_cause(const Facts& facts, const std::string& quota, const std::vector<Shortfall>& shortfalls) {
  const Shortfall& first = shortfalls.at(0);
  const std::string where = api::namespace_of(facts.job), resource = resource_of(first.resource);
  const auto number = [&](int64_t milli) {
    const std::string text = amount_text(first.resource, milli);
    return text.substr(0, text.find(' '));
  };
  const bool never = first.asked > first.most;
  Cause cause = make_cause(
      never ? CauseCode::quota_too_small : CauseCode::quota,
      fmt::format("quota {} full ({}/{} {})", quota, number(first.most - first.free), number(first.most),
                  resource),
      never
          ? fmt::format("asks for {} a pod, and quota {} of namespace {} allows {} in all",
                        amount_text(first.resource, first.asked), quota, where,
                        amount_text(first.resource, first.most))
          : fmt::format(
                "quota {} of namespace {} is used up: {} of {} in use, {} more needed; the controller tries "
                "again within a minute of its being free",
                quota, where, number(first.most - first.free), amount_text(first.resource, first.most),
                number(first.missing)));
  if (never) cause.brief = fmt::format("quota {} allows {}", quota, amount_text(first.resource, first.most));
  cause.shortfalls = shortfalls;
  cause.priority = "priority cannot help: a quota knows none";
  std::vector<const Json*> pods;
  if (facts.active_pods)
    for (const Json& pod : *facts.active_pods)
      if (api::namespace_of(pod) == where) pods.push_back(&pod);
  cause.holders = never ? std::vector<Holder>{} : holders_of(pods, resource);
  std::vector<Holder> enough;
  int64_t freed = 0;
  // From the smallest that is enough alone, else from the largest down.
  for (const Holder& holder : cause.holders)
    if (holder.amount >= first.missing) enough = {holder};
  if (enough.empty())
    for (const Holder& holder : cause.holders)
      if (freed < first.missing) freed += holder.amount, enough.push_back(holder);
  if (!enough.empty())
    cause.remedies.push_back(
        {"wait, or free enough by ending " + holders_text(enough, resource), command_to_free(enough, where)});
  Json hard;
  for (const Shortfall& one : shortfalls) {
    const int64_t needed = one.most + one.missing;
    hard[one.resource] = needed % 1000 == 0 ? std::to_string(needed / 1000) : std::to_string(needed) + "m";
  }
  cause.remedies.push_back({cause.remedies.empty() ? "have the quota raised" : "or have the quota raised",
                            fmt::format("kubectl -n {} patch resourcequota {} -p '{}'", where, quota,
                                        Json{{"spec", {{"hard", hard}}}}.dump())});
  return cause;
}

}  // namespace

std::optional<Cause> cause_of_quota_refusal(const Facts& facts, const std::string& text) {
  const std::string where = api::namespace_of(facts.job);
  constexpr std::string_view kFailed = "failed quota: ", kMust = "must specify ";
  if (const size_t at = text.find(kMust);
      text.find(kFailed) != std::string::npos && at != std::string::npos) {
    const std::string quota = part_of(text, kFailed, ":");
    std::string what = text.substr(at + kMust.size());
    what = what.substr(0, what.find(" for:"));
    Cause cause =
        make_cause(CauseCode::quota_wants_limits, fmt::format("quota {} wants {}", quota, what),
                   fmt::format("quota {} of namespace {} wants every pod to set {}", quota, where, what));
    std::string flags;
    if (what.find("cpu") != std::string::npos) flags += " --cpu N";
    if (what.find("memory") != std::string::npos) flags += " --memory SIZE";
    cause.remedies = {{"submit it again with them", "kml submit" + flags + " …"}};
    return cause;
  }
  if (text.find("exceeded quota: ") == std::string::npos) return {};
  const std::string quota = part_of(text, "exceeded quota: ", ",");
  const Amounts asked = amounts_in(part_of(text, "requested: ", ", used:")),
                used = amounts_in(part_of(text, "used: ", ", limited:")),
                limited = amounts_in(part_of(text, "limited: ", ""));
  std::vector<Shortfall> shortfalls;
  for (const std::string& name : by_value(limited)) {
    const auto amount = [&](const Amounts& amounts) { return amounts.contains(name) ? amounts.at(name) : 0; };
    const int64_t free = std::max<int64_t>(limited.at(name) - amount(used), 0);
    if (amount(asked) > free)
      shortfalls.push_back({name, amount(asked), limited.at(name), free, amount(asked) - free});
  }
  if (shortfalls.empty())
    return make_cause(CauseCode::quota, "quota " + quota + " full",
                      "quota " + quota + " is used up: " + text);
  return quota_cause(facts, quota, shortfalls);
}

std::optional<Cause> refused_by_quota(const Facts& facts) {
  if (!facts.quotas) return {};
  Amounts requests;
  each_pod_template(facts.job, [&](const Json& pod, int) {
    if (requests.empty()) requests = api::pod_requests(api::spec_of(pod));
  });
  for (const Json& quota : *facts.quotas) {
    const Amounts hard = api::amounts_of(object_at(quota, {"status", "hard"})),
                  used = api::amounts_of(object_at(quota, {"status", "used"}));
    std::vector<Shortfall> shortfalls;
    for (const std::string& name : by_value(hard)) {
      const auto asked = requests.find(resource_of(name));
      const int64_t free = hard.at(name) - (used.contains(name) ? used.at(name) : 0);
      if (asked != requests.end() && asked->second > free)
        shortfalls.push_back(
            {name, asked->second, hard.at(name), std::max<int64_t>(free, 0), asked->second - free});
    }
    if (!shortfalls.empty()) return quota_cause(facts, api::name_of(quota), shortfalls);
  }
  return {};
}

}  // namespace kml::jobs
