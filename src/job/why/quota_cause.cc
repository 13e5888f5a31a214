#include "job/why/causes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "job/why/quota_room.h"
#include "job/why/room.h"
#include "kml/base/text.h"
#include "kml/job/views/job_view.h"
#include "kml/job/views/kinds.h"
#include "kml/job/why/cause.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "kml/kube/objects/quantity.h"
#include "kml/kube/objects/quota.h"

namespace kml::job {

namespace {

using api::Amounts;

/// Parses "requests.cpu=1,pods=2" as amounts.
Amounts amounts_in(std::string_view text) {
  Amounts amounts;
  for (const std::string& entry : split(text, ','))
    if (const size_t equals = entry.rfind('='); equals != std::string::npos)
      amounts[std::string(trim(entry.substr(0, equals)))] =
          api::quantity_milli(trim(std::string_view(entry).substr(equals + 1))).value_or(0);
  return amounts;
}

/// The text after `word`, up to `next` or the end.
std::string part_of(const std::string& text, std::string_view word, std::string_view next) {
  const size_t at = text.find(word);
  if (at == std::string::npos) return {};
  const size_t from = at + word.size(), to = next.empty() ? std::string::npos : text.find(next, from);
  return text.substr(from, to == std::string::npos ? to : to - from);
}

/// The quota as it is now, if it was read. An event about rejected pods has the quota at the time of the
/// event.
const Json* known_quota(const Facts& facts, const std::string& name) {
  if (!facts.quotas) return nullptr;
  const auto found =
      std::ranges::find_if(*facts.quotas, [&](const Json& quota) { return api::name_of(quota) == name; });
  return found == facts.quotas->end() || object_at(*found, {"status", "hard"}).empty() ? nullptr : &*found;
}

/// What the job's existing pods use of the quota.
Amounts own_usage(const Facts& facts, const Json& quota) {
  Amounts sum;
  for (const Json* pod : facts.pods)
    if (!api::pod_has_ended(*pod) && counts_in_quota(quota, *pod).value_or(false))
      for (const auto& [name, milli] : api::quota_usage_of_pod(*pod)) sum[name] += milli;
  return sum;
}

std::string entry_text(const std::string& entry, int64_t milli) {
  return entry + ": " + (milli % 1000 == 0 ? std::to_string(milli / 1000) : std::to_string(milli) + "m");
}

/// The quota's other entries that would reject some of the pods that the job still needs, with the amounts
/// that all of these pods need. The server names only the entries that reject the next pod.
std::vector<std::string> also_too_small(const Facts& facts, const Json& quota,
                                        const std::vector<Shortfall>& shortfalls) {
  const Amounts hard = api::amounts_of(object_at(quota, {"status", "hard"}));
  Amounts needed = api::amounts_of(object_at(quota, {"status", "used"}));
  for (const Json& spec : missing_specs(facts))
    if (counts_in_quota(quota, {{"spec", spec}}).value_or(false))
      for (const auto& [name, milli] : api::quota_usage_of_pod({{"spec", spec}})) needed[name] += milli;
  std::vector<std::string> found;
  for (const auto& [name, most] : hard)
    if (amount_of(needed, name) > most &&
        std::ranges::find(shortfalls, name, &Shortfall::resource) == shortfalls.end())
      found.push_back(entry_text(name, amount_of(needed, name)));
  return found;
}

/// `shortfalls` lists the scarce resources first. The amounts are those that `pods` pods of the job need
/// together.
Cause quota_cause(const Facts& facts, const std::string& quota, std::vector<Shortfall> shortfalls,
                  int pods = 1) {
  // what can never fit is more important than what is used up
  std::stable_partition(shortfalls.begin(), shortfalls.end(),
                        [](const Shortfall& one) { return one.asked > one.most; });
  const Shortfall& first = shortfalls.at(0);
  const std::string where = api::namespace_of(facts.job), resource = resource_in_quota(first.resource);
  const auto number = [&](int64_t milli) { return amount_number(first.resource, milli); };
  const bool never = first.asked > first.most;
  const std::string per = resource == "pods" ? "" : pods > 1 ? fmt::format(" for {} pods", pods) : " per pod";
  Cause cause =
      make_cause(never ? CauseCode::quota_too_small : CauseCode::quota,
                 fmt::format("quota {} full ({}/{} {})", quota, number(first.most - first.free),
                             number(first.most), resource),
                 never ? fmt::format("{}asks for {}{}, but quota {} of namespace {} allows {} in total",
                                     pods > 1 ? "needs all of its pods at once, and " : "",
                                     amount_text(first.resource, first.asked), per, quota, where,
                                     amount_text(first.resource, first.most))
                       : fmt::format("quota {} of namespace {} is used up: {} of {} in use, {} more needed; "
                                     "when enough is free, the controller tries again by itself",
                                     quota, where, number(first.most - first.free),
                                     amount_text(first.resource, first.most), number(first.missing)));
  if (never) cause.brief = fmt::format("quota {} allows {}", quota, amount_text(first.resource, first.most));
  cause.shortfalls = shortfalls;
  cause.priority = "priority cannot help: a quota does not preempt pods";
  const Json* present = known_quota(facts, quota);
  std::vector<Holder> enough;
  if (present && !never) {
    cause.holders = holders_of_quota(facts, *present, first.resource);
    enough = enough_for_quota(facts, *present, shortfalls);
  }
  if (!enough.empty())
    cause.remedies.push_back(
        {fmt::format("wait, or free enough by {} {}", verb_to_free(enough), holders_text(enough, resource)),
         command_to_free(enough, where)});
  std::vector<std::string> hard;
  const size_t times = pods > 1 ? 1 : std::max<size_t>(missing_specs(facts).size(), 1);
  const Amounts own = present && pods > 1 ? own_usage(facts, *present) : Amounts();
  for (const Shortfall& one : shortfalls) {
    const int64_t others = one.most - one.free - amount_of(own, one.resource);
    const int64_t needed = others + one.asked * static_cast<int64_t>(times);
    hard.push_back(entry_text(one.resource, needed));
  }
  if (present && times > 1)
    for (std::string& entry : also_too_small(facts, *present, shortfalls)) hard.push_back(std::move(entry));
  cause.remedies.push_back({fmt::format("{}ask an administrator to raise quota {} to {}",
                                        cause.remedies.empty() ? "" : "or ", quota, join(hard, ", ")),
                            ""});
  return cause;
}

/// `text` lists each field and the containers that do not set it: "limits.cpu for: main; limits.memory for:
/// main".
Cause unset_fields(const std::string& quota, const std::string& where, const std::string& text) {
  std::vector<std::string> fields;
  for (const std::string& part : split(text, ';'))
    fields.emplace_back(trim(part.substr(0, part.find(" for:"))));
  const std::string last = fields.back();
  fields.pop_back();
  const std::string all = fields.empty() ? last : join(fields, ", ") + " and " + last;
  Cause cause =
      make_cause(CauseCode::quota_wants_limits, fmt::format("quota {} requires {}", quota, all),
                 fmt::format("quota {} of namespace {} requires every pod to set {}", quota, where, all));
  std::string flags;
  if (all.find("cpu") != std::string::npos) flags += " --cpu N";
  if (all.find("memory") != std::string::npos) flags += " --memory SIZE";
  cause.remedies = {{flags.find(" --", 1) == std::string::npos ? "submit it again with this flag"
                                                               : "submit it again with these flags",
                     "kml submit" + flags + " …"}};
  return cause;
}

}  // namespace

std::optional<Cause> gang_over_quota(const Facts& facts, bool is_new) {
  if (!facts.quotas || !is_job(facts.job) || has_independent_pods(facts.job)) return {};
  for (const Json& quota : *facts.quotas) {
    Amounts asked;
    int pods = 0;
    each_pod_template(facts.job, [&](const Json& pod, int count) {
      if (!counts_in_quota(quota, pod).value_or(false)) return;
      pods += count;
      for (const auto& [name, milli] : api::quota_usage_of_pod({{"spec", api::spec_of(pod)}}))
        asked[name] += milli * count;
    });
    if (pods < 2) continue;
    const Amounts hard = api::amounts_of(object_at(quota, {"status", "hard"})),
                  used = api::amounts_of(object_at(quota, {"status", "used"}));
    std::vector<Shortfall> shortfalls;
    for (const std::string& name : by_value(hard)) {
      const int64_t wanted = amount_of(asked, name), most = hard.at(name),
                    free = std::max<int64_t>(most - amount_of(used, name), 0);
      if (wanted > (is_new ? free : most)) shortfalls.push_back({name, wanted, most, free, wanted - free});
    }
    if (!shortfalls.empty()) return quota_cause(facts, api::name_of(quota), shortfalls, pods);
  }
  return {};
}

std::optional<Cause> cause_of_quota_refusal(const Facts& facts, const std::string& text) {
  const std::string where = api::namespace_of(facts.job);
  constexpr std::string_view kFailed = "failed quota: ", kMust = "must specify ";
  if (const size_t at = text.find(kMust);
      text.find(kFailed) != std::string::npos && at != std::string::npos) {
    return unset_fields(part_of(text, kFailed, ":"), where, text.substr(at + kMust.size()));
  }
  if (text.find("exceeded quota: ") == std::string::npos) return {};
  if (auto never = gang_over_quota(facts, false)) return never;
  const std::string quota = part_of(text, "exceeded quota: ", ",");
  const Amounts asked = amounts_in(part_of(text, "requested: ", ", used:"));
  Amounts used = amounts_in(part_of(text, "used: ", ", limited:")),
          limited = amounts_in(part_of(text, "limited: ", ""));
  const Json* present = known_quota(facts, quota);
  if (present) {
    used = api::amounts_of(object_at(*present, {"status", "used"}));
    limited = api::amounts_of(object_at(*present, {"status", "hard"}));
  }
  std::vector<Shortfall> shortfalls;
  for (const std::string& name : by_value(limited)) {
    const auto amount = [&](const Amounts& amounts) { return amounts.contains(name) ? amounts.at(name) : 0; };
    const int64_t free = std::max<int64_t>(limited.at(name) - amount(used), 0);
    if (amount(asked) > free)
      shortfalls.push_back({name, amount(asked), limited.at(name), free, amount(asked) - free});
  }
  if (shortfalls.empty() && present) {
    Cause cause =
        make_cause(CauseCode::quota, "quota " + quota + " has room now",
                   fmt::format("quota {} of namespace {} has room now; the controller tries again by itself",
                               quota, where));
    cause.outlook = Outlook::starting;
    return cause;
  }
  if (shortfalls.empty())
    return make_cause(CauseCode::quota, "quota " + quota + " full",
                      "quota " + quota + " is used up: " + text);
  return quota_cause(facts, quota, shortfalls);
}

std::optional<Cause> refused_by_quota(const Facts& facts) {
  if (!facts.quotas) return {};
  const Json* pod = nullptr;
  each_pod_template(facts.job, [&](const Json& of_template, int) { pod = pod ? pod : &of_template; });
  if (!pod) return {};
  if (auto never = gang_over_quota(facts, false)) return never;
  const Amounts asked = api::quota_usage_of_pod({{"spec", api::spec_of(*pod)}});
  for (const Json& quota : *facts.quotas) {
    if (!counts_in_quota(quota, *pod).value_or(false)) continue;
    const Amounts hard = api::amounts_of(object_at(quota, {"status", "hard"})),
                  used = api::amounts_of(object_at(quota, {"status", "used"}));
    std::vector<Shortfall> shortfalls;
    for (const std::string& name : by_value(hard)) {
      const int64_t wanted = amount_of(asked, name), free = hard.at(name) - amount_of(used, name);
      if (wanted > free)
        shortfalls.push_back({name, wanted, hard.at(name), std::max<int64_t>(free, 0), wanted - free});
    }
    if (!shortfalls.empty()) return quota_cause(facts, api::name_of(quota), shortfalls);
  }
  return {};
}

namespace {

constexpr std::array<std::string_view, 2> kFailedCreate = {"FailedCreate", "FailedCreatePod"};
constexpr std::array<std::string_view, 2> kCreated = {"SuccessfulCreate", "SuccessfulCreatePod"};

/// The quoted text after `before`.
std::string quoted_after(const std::string& text, std::string_view before) {
  const size_t at = text.find(before);
  if (at == std::string::npos) return {};
  const size_t open = at + before.size(), close = text.find('"', open);
  return close == std::string::npos ? "" : text.substr(open, close - open);
}

/// The priority classes in words: "urgent (1000), usual (10, the default)". Leaves out those reserved for the
/// cluster itself.
std::string classes_text(const Facts& facts) {
  std::vector<std::string> texts;
  for (const Json& one : facts.priorities.value_or(std::vector<Json>()))
    if (!api::name_of(one).starts_with("system-"))
      texts.push_back(fmt::format("{} ({}{})", api::name_of(one), api::priority_value_of(one),
                                  bool_at(one, {"globalDefault"}) ? ", the default" : ""));
  if (texts.empty()) return "kml list priorityclasses";
  return some_of(texts, 10);
}

/// Shortens `pods "x" is forbidden: WHY` to the part that is useful to users.
std::string shortened(const std::string& message) {
  constexpr std::string_view kForbidden = "is forbidden: ", kCreating = "Error creating: ";
  if (const size_t at = message.find(kForbidden); at != std::string::npos)
    return message.substr(at + kForbidden.size());
  return message.starts_with(kCreating) ? message.substr(kCreating.size()) : message;
}

/// Whether a pod's request is above its limit. The server rejects a job with such a pod template, so the
/// limit was added to the pod, as its namespace's LimitRange does for pods without one.
bool is_over_default_limit(const std::string& text) {
  return text.find(".resources.requests: Invalid value: ") != std::string::npos &&
         text.find("must be less than or equal to ") != std::string::npos;
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
    cause =
        made(CauseCode::service_account_missing, "no service account " + account,
             fmt::format("service account {} does not exist in namespace {}", account, where),
             {"create it; the job then starts by itself", command_to_make("ServiceAccount", where, account)});
  } else if (text.find("no PriorityClass with name") != std::string::npos) {
    const size_t at = text.find("with name ") + 10;
    const std::string name = text.substr(at, text.find(' ', at) - at);
    cause = made(
        CauseCode::priority_class_missing, "no priority class " + name,
        fmt::format("priority class {} does not exist", name),
        {"submit it again with one that exists: " + classes_text(facts), "kml submit --priority CLASS …"});
    cause.remedies.push_back(
        {"or create it, as an administrator; jobs of a class with a higher value start first",
         command_to_make_priority_class(name)});
  } else if (text.find("PodSecurity") != std::string::npos) {
    cause = made(CauseCode::pod_security, "forbidden by pod security",
                 fmt::format("the pod security standard of namespace {} forbids its pods: {}", where, text),
                 {"change the pod as the message says, or use another namespace", ""});
  } else if (text.find("usage per ") != std::string::npos || text.find("limit per ") != std::string::npos ||
             text.find("LimitRange") != std::string::npos) {
    cause = made(CauseCode::limit_range, "outside the namespace's limits: " + text,
                 fmt::format("a limit range of namespace {} rejects its pods: {}", where, text),
                 {"change the requests to values that the limit range allows",
                  fmt::format("kml list limits -n {}", where)});
  } else if (is_over_default_limit(text)) {
    cause = made(CauseCode::limit_range, "its request is above the namespace's default limit",
                 fmt::format("a limit range of namespace {} gives its pods a limit that is below their "
                             "request: {}",
                             where, text),
                 {"set a limit yourself, or request less than the default limit",
                  fmt::format("kml list limits -n {}", where)});
  } else {
    cause = made(CauseCode::pods_refused, "pods refused: " + text, "the server rejects its pods: " + text,
                 {"correct what the message names", ""});
  }
  cause.message = message;
  return cause;
}

std::optional<Cause> refused_pods(const Facts& facts) {
  const Json* failed = newest_event(facts, facts.job, kFailedCreate);
  const Json* created = newest_event(facts, facts.job, kCreated);
  if (!failed || (created && api::is_earlier_event(*failed, *created))) return {};
  return cause_of_refusal(facts, api::message_of(*failed));
}

}  // namespace kml::job
