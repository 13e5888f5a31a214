#include "kml/sweep/journal/record.h"

#include <cmath>

#include "kml/base/exception_text.h"
#include "kml/base/json_fields.h"
#include "kml/base/json_number.h"
#include "kml/base/word_table.h"
#include "kml/engine/journal/record_form.h"

namespace kml::sweep {

namespace {

constexpr std::pair<Outcome, std::string_view> kOutcomes[] = {
    {Outcome::complete, "complete"},
    {Outcome::pruned, "pruned"},
    {Outcome::diverged, "diverged"},
    {Outcome::failed, "failed"},
    {Outcome::out_of_memory, "out of memory"},
    {Outcome::no_metric, "no metric"},
    {Outcome::refused, "refused"},
    {Outcome::lost, "lost"},
};

constexpr std::pair<record::Rung::Decision, std::string_view> kDecisions[] = {
    {record::Rung::Decision::go, "go"},
    {record::Rung::Decision::stop, "stop"},
    {record::Rung::Decision::pause, "pause"},
};

/// The ends of a sweep that have their own kind in record::End, by their reasons.
constexpr std::pair<record::End::Kind, std::string_view> kEnds[] = {
    {record::End::Kind::stopped, "stopped"},
    {record::End::Kind::space_tried, "all of the space has been tried"},
};

double number_at(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_number() ? found->get<double>() : 0;
}

std::uint64_t trial_in(const Json& json) {
  const long long trial = int_at(json, {"trial"}, -1);
  if (trial < 0) throw damaged_journal("a record has no trial: " + json.dump());
  return static_cast<std::uint64_t>(trial);
}

/// Converts the record of a trial, with the members in its table.
template <typename What, typename Table>
What read_trial(const Json& json, const Table& table) {
  What what;
  what.trial = trial_in(json);
  read_fields(json, what, table);
  return what;
}

void add_results(Json& json, const record::Results& results) {
  Json diverged = Json::object();
  for (const auto& [name, last] : results.diverged)
    diverged[name] = {last.first, json_of_number(last.second)};
  set_said(json, {{"curve", results.curve}, {"metrics", results.metrics}, {"diverged", std::move(diverged)}});
}

record::Results results_in(const Json& json) {
  record::Results results;
  if (const auto curve = json.find("curve"); curve != json.end()) results.curve = curve->get<Curve>();
  if (const auto metrics = json.find("metrics"); metrics != json.end())
    results.metrics = metrics->get<std::map<std::string, double>>();
  for (const auto& [name, last] : object_at(json, {"diverged"}).items())
    results.diverged[name] = {last.at(0).get<double>(), number_of_json(last.at(1)).value_or(std::nan(""))};
  return results;
}

/// Ranges such as [[0, 9999]]: each pair has the first and the last number of a range, in the order of the
/// trials.
Json ranges_of(const std::vector<std::uint64_t>& trials) {
  Json ranges = Json::array();
  for (const std::uint64_t trial : trials)
    if (!ranges.empty() && ranges.back()[1] == trial - 1)
      ranges.back()[1] = trial;
    else
      ranges.push_back({trial, trial});
  return ranges;
}

std::vector<std::uint64_t> trials_in(const Json& ranges) {
  constexpr std::uint64_t kMost = 1'000'000;  // no real journal has this many, but a damaged one might
  std::vector<std::uint64_t> trials;
  for (const Json& range : ranges) {
    const bool is_whole = range.is_array() && range.size() == 2 && range[0].is_number_unsigned() &&
                          range[1].is_number_unsigned() && range[1] < kMost;
    if (!is_whole) throw damaged_journal("no trials: " + range.dump());
    for (std::uint64_t trial = range[0]; trial <= range[1].get<std::uint64_t>(); ++trial)
      trials.push_back(trial);
    if (trials.size() > kMost) throw damaged_journal("one job has more than a million trials");
  }
  return trials;
}

// The functions for each kind of record, see engine/journal/record_form.h.

template <typename What>
struct Form;

template <>
struct Form<record::Sweep> {
  static constexpr std::string_view kName = "sweep";
  static constexpr int kVersion = 1;
  static void write(const record::Sweep& what, Json& json) {
    json.update(
        {{"id", what.id}, {"version", kVersion}, {"document", what.document}, {"target", what.target}});
    if (!what.code.is_null()) json["code"] = what.code;
  }
  static record::Sweep read(const Json& json) {
    if (int_at(json, {"version"}) != kVersion)
      throw Error(ErrorCode::failure, "the journal was written by a newer kml", "",
                  "use that version of kml");
    return {string_at(json, {"id"}), json.at("document"), json.value("target", Json()),
            json.value("code", Json())};
  }
};

template <>
struct Form<record::Session> {
  static constexpr std::string_view kName = "session";
  static constexpr std::tuple kFields = {JsonField{"owner", &record::Session::owner},
                                         JsonField{"previousUntil", &record::Session::previous_until}};
};

template <>
struct Form<record::Change> {
  static constexpr std::string_view kName = "change";
  static void write(const record::Change& what, Json& json) { json["document"] = what.document; }
  static record::Change read(const Json& json) { return {json.at("document")}; }
};

template <>
struct Form<record::Asked> {
  static constexpr std::string_view kName = "asked";
  static void write(const record::Asked& what, Json& json) {
    json.update({{"trial", what.trial}, {"values", what.values}});
    if (what.lineage) json["member"] = what.lineage->member;
    if (what.lineage && what.lineage->parent) json["parent"] = *what.lineage->parent;
  }
  static record::Asked read(const Json& json) {
    record::Asked asked{trial_in(json), json.at("values")};
    if (const auto member = json.find("member"); member != json.end())
      asked.lineage.emplace().member = member->get<std::uint64_t>();
    if (const auto parent = json.find("parent"); parent != json.end() && asked.lineage)
      asked.lineage->parent = parent->get<std::uint64_t>();
    return asked;
  }
};

template <>
struct Form<record::Begun> {
  static constexpr std::string_view kName = "begun";
  static constexpr std::tuple kFields = {
      JsonField{"trial", &record::Begun::trial}, JsonField{"job", &record::Begun::job},
      JsonField{"rung", &record::Begun::rung}, JsonField{"attempt", &record::Begun::attempt},
      JsonField{"until", &record::Begun::until}};
  static void write(const record::Begun& what, Json& json) {
    json.update(fields_to_json(what, kFields));
    if (what.until <= 0) json.erase("until");
  }
  static record::Begun read(const Json& json) { return read_trial<record::Begun>(json, kFields); }
};

template <>
struct Form<Wave> {
  static constexpr std::string_view kName = "wave";
  static void write(const Wave& what, Json& json) {
    json.update({{"job", what.job}, {"trials", ranges_of(what.trials)}});
  }
  static Wave read(const Json& json) {
    return {string_at(json, {"job"}), trials_in(array_at(json, {"trials"}))};
  }
};

template <>
struct Form<record::Running> {
  static constexpr std::string_view kName = "running";
  static constexpr std::tuple kFields = {JsonField{"trial", &record::Running::trial},
                                         JsonField{"node", &record::Running::node}};
  static constexpr auto require = trial_in;
};

template <>
struct Form<record::Waiting> {
  static constexpr std::string_view kName = "waiting";
  static constexpr std::tuple kFields = {JsonField{"trial", &record::Waiting::trial}};
  static constexpr auto require = trial_in;
};

template <>
struct Form<record::Rung> {
  static constexpr std::string_view kName = "rung";
  static void write(const record::Rung& what, Json& json) {
    json.update({{"trial", what.trial},
                 {"resource", what.resource},
                 {"value", what.value},
                 {"decision", word_for(kDecisions, what.decision)},
                 {"gpuSeconds", what.gpu_seconds}});
    add_results(json, what.results);
  }
  static record::Rung read(const Json& json) {
    const auto decision = value_for(kDecisions, string_at(json, {"decision"}));
    if (!decision) throw damaged_journal("no decision: " + json.dump());
    return {trial_in(json), number_at(json, "resource"),   number_at(json, "value"),
            *decision,      number_at(json, "gpuSeconds"), results_in(json)};
  }
};

template <>
struct Form<record::Judged> {
  static constexpr std::string_view kName = "judged";
  static void write(const record::Judged& what, Json& json) {
    json.update({{"trial", what.trial},
                 {"resource", what.resource},
                 {"value", json_of_number(what.value)},
                 {"place", what.place},
                 {"of", what.of},
                 {"stops", what.stops}});
    if (what.cutoff) json["cutoff"] = json_of_number(*what.cutoff);
  }
  static record::Judged read(const Json& json) {
    record::Judged judged{trial_in(json), number_at(json, "resource")};
    judged.value = number_of_json(json.at("value")).value_or(std::nan(""));
    if (const auto cutoff = json.find("cutoff"); cutoff != json.end())
      judged.cutoff = number_of_json(*cutoff);
    json.at("place").get_to(judged.place);
    json.at("of").get_to(judged.of);
    json.at("stops").get_to(judged.stops);
    return judged;
  }
};

template <>
struct Form<record::Failed> {
  using Fault = record::Failed::Fault;
  static constexpr std::string_view kName = "failed";
  static constexpr std::tuple kFields = {
      JsonField{"trial", &record::Failed::trial}, JsonField{"cause", &record::Failed::cause},
      JsonField{"node", &record::Failed::node}, JsonField{"gpuSeconds", &record::Failed::gpu_seconds}};
  static void write(const record::Failed& what, Json& json) {
    json.update(fields_to_json(what, kFields));
    json.update({{"lost", what.fault == Fault::lost}});
    set_said(json, {{"disrupted", what.fault == Fault::disrupted ? Json(true) : Json()}});
    add_results(json, what.results);
  }
  static record::Failed read(const Json& json) {
    auto failed = read_trial<record::Failed>(json, kFields);
    for (const auto& [fault, word] :
         {std::pair(Fault::lost, "lost"), std::pair(Fault::disrupted, "disrupted")})
      if (json.value(word, Json()) == true) failed.fault = fault;
    failed.results = results_in(json);
    return failed;
  }
};

template <>
struct Form<record::Ended> {
  static constexpr std::string_view kName = "ended";
  static constexpr std::tuple kFields = {
      JsonField{"trial", &record::Ended::trial}, JsonField{"cause", &record::Ended::cause},
      JsonField{"node", &record::Ended::node}, JsonField{"gpuSeconds", &record::Ended::gpu_seconds}};
  static void write(const record::Ended& what, Json& json) {
    json.update(fields_to_json(what, kFields));
    json.update({{"outcome", in_words(what.outcome)}});
    if (what.cause.empty()) json.erase("cause");
    // JSON cannot store NaN or infinity, but the outcome shows that the value was not finite.
    if (what.value && std::isfinite(*what.value)) json["value"] = *what.value;
    add_results(json, what.results);
  }
  static record::Ended read(const Json& json) {
    const auto outcome = outcome_of(string_at(json, {"outcome"}));
    if (!outcome) throw damaged_journal("no outcome: " + json.dump());
    auto ended = read_trial<record::Ended>(json, kFields);
    ended.outcome = *outcome;
    ended.results = results_in(json);
    if (const auto value = json.find("value"); value != json.end()) ended.value = value->get<double>();
    return ended;
  }
};

template <>
struct Form<record::Withdrawn> {
  static constexpr std::string_view kName = "withdrawn";
  static void write(const record::Withdrawn& what, Json& json) {
    json.update({{"trial", what.trial}, {"gpuSeconds", what.gpu_seconds}});
    add_results(json, what.results);
  }
  static record::Withdrawn read(const Json& json) {
    return {trial_in(json), number_at(json, "gpuSeconds"), results_in(json)};
  }
};

template <>
struct Form<record::End> {
  static constexpr std::string_view kName = "end";
  static void write(const record::End& what, Json& json) { json["reason"] = what.reason; }
  static record::End read(const Json& json) {
    record::End end;
    end.reason = string_at(json, {"reason"});
    end.kind = value_for(kEnds, end.reason).value_or(record::End::Kind::other);
    return end;
  }
};

template <>
struct Form<record::Unknown> {
  static constexpr std::string_view kName{};
  static void write(const record::Unknown& /*what*/, Json& /*json*/) {}
  static record::Unknown read(const Json& /*json*/) { return {}; }
};

}  // namespace

std::string_view in_words(Outcome outcome) {
  return word_for(kOutcomes, outcome);
}

std::optional<Outcome> outcome_of(std::string_view words) {
  return value_for(kOutcomes, words);
}

record::End record::End::of(Kind kind) {
  return {kind, std::string(word_for(kEnds, kind))};
}

TrialState state_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::complete: return TrialState::complete;
    case Outcome::pruned: return TrialState::pruned;
    case Outcome::diverged: return TrialState::diverged;
    default: return TrialState::failed;
  }
}

bool is_end(const Json& line) {
  return line.is_object() && string_at(line, {"record"}) == Form<record::End>::kName;
}

Error damaged_journal(const std::string& why) {
  return {ErrorCode::failure, "the journal is damaged", why};
}

Json to_json(const Record& record) {
  return std::visit(
      [&]<typename What>(const What& what) {
        Json json = {{"record", Form<What>::kName}, {"time", rfc3339_micro(record.time)}};
        if (record.job_ended) json["jobEnded"] = rfc3339(*record.job_ended);
        engine::write_members<Form>(what, json);
        return json;
      },
      record.what);
}

Record record_from_json(const Json& json) try {
  Record record{parse_rfc3339(string_at(json, {"time"})).value_or(Time{}), record::Unknown()};
  record.job_ended = parse_rfc3339(string_at(json, {"jobEnded"}));
  engine::read_as<Form>(record.what, string_at(json, {"record"}), json);
  return record;
} catch (const Json::exception& error) {
  throw damaged_journal(exception_text(error) + ": " + compact_text(json));
}

}  // namespace kml::sweep
