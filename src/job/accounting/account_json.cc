#include <algorithm>

#include "kml/base/json_fields.h"
#include "kml/job/accounting/gpu_time.h"

namespace kml::job {

namespace {

constexpr std::tuple kAccountFields = {JsonField{"key", &JobAccount::key},
                                       JsonField{"name", &JobAccount::name},
                                       JsonField{"namespace", &JobAccount::namespace_name},
                                       JsonField{"context", &JobAccount::context},
                                       JsonField{"user", &JobAccount::user},
                                       JsonField{"queue", &JobAccount::queue},
                                       JsonField{"gpuType", &JobAccount::gpu_type},
                                       JsonField{"project", &JobAccount::project},
                                       JsonField{"state", &JobAccount::state},
                                       JsonField{"created", &JobAccount::created},
                                       JsonField{"submitted", &JobAccount::submitted},
                                       JsonField{"finished", &JobAccount::finished},
                                       JsonField{"suspended", &JobAccount::suspended},
                                       JsonField{"podsAtOnce", &JobAccount::pods},
                                       JsonField{"gpus", &JobAccount::gpus},
                                       JsonField{"disruptions", &JobAccount::disruptions}};
constexpr std::tuple kCoveredFields = {JsonField{"wanted", &CoveredSpan::wanted},
                                       JsonField{"known", &CoveredSpan::known}};
constexpr std::tuple kSpanFields = {JsonField{"gpus", &PodSpan::gpus}, JsonField{"lane", &PodSpan::lane},
                                    JsonField{"cause", &PodSpan::cause},
                                    JsonField{"disrupted", &PodSpan::disrupted}};

/// Keeps fractions of a second, since a part of an attempt may start between two whole seconds.
template <typename Span>
Json with_times(Json json, const Span& span) {
  json["start"] = rfc3339_nano(span.start);
  json["end"] = rfc3339_nano(span.end);
  return json;
}
template <typename Span>
Span read_times(const Json& json, Span span) {
  span.start = parse_rfc3339(string_at(json, {"start"})).value_or(Time());
  span.end = std::max(span.start, parse_rfc3339(string_at(json, {"end"})).value_or(Time()));
  return span;
}

Use use_named(const std::string& name) {
  for (size_t i = 0; i < kUses; ++i)
    if (name_of(static_cast<Use>(i)) == name) return static_cast<Use>(i);
  return Use::unclear;
}

}  // namespace

Json to_json(const JobAccount& account) {
  Json json = fields_to_json(account, kAccountFields);
  json["pods"] = json["covered"] = Json::array();
  for (const PodSpan& span : account.spans) {
    json["pods"].push_back(with_times(fields_to_json(span, kSpanFields), span));
    json["pods"].back()["use"] = name_of(span.use);
  }
  for (const CoveredSpan& span : account.covered)
    json["covered"].push_back(with_times(fields_to_json(span, kCoveredFields), span));
  return json;
}

JobAccount account_from_json(const Json& json) {
  JobAccount account;
  read_fields(json, account, kAccountFields);
  for (const Json& pod : array_at(json, {"pods"})) {
    PodSpan span;
    read_fields(pod, span, kSpanFields);
    span.use = use_named(string_at(pod, {"use"}));
    account.spans.push_back(read_times(pod, std::move(span)));
  }
  for (const Json& covered : array_at(json, {"covered"})) {
    CoveredSpan span;
    read_fields(covered, span, kCoveredFields);
    account.covered.push_back(read_times(covered, span));
  }
  return account;
}

}  // namespace kml::job
