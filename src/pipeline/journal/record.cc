#include "kml/pipeline/journal/record.h"

#include <tuple>
#include <utility>

#include "kml/base/exception_text.h"
#include "kml/base/json_fields.h"
#include "kml/base/word_table.h"
#include "kml/engine/journal/record_form.h"

namespace kml::pipeline {

namespace {

constexpr std::pair<Outcome, std::string_view> kOutcomes[] = {
    {Outcome::succeeded, "succeeded"}, {Outcome::failed, "failed"}, {Outcome::stopped, "stopped"}};

/// Throws Error if a field is missing that all records about steps need.
void require_step(const Json& json) {
  if (string_at(json, {"step"}).empty()) throw broken_journal("a record has no step: " + compact_text(json));
}

// The functions for each kind of record, see engine/journal/record_form.h.

template <typename What>
struct Form;

template <>
struct Form<record::Run> {
  static constexpr std::string_view kName = "run";
  static constexpr std::tuple kFields = {JsonField{"name", &record::Run::name},
                                         JsonField{"id", &record::Run::id},
                                         JsonField{"user", &record::Run::user},
                                         JsonField{"file", &record::Run::file},
                                         JsonField{"pipeline", &record::Run::pipeline},
                                         JsonField{"text", &record::Run::text},
                                         JsonField{"store", &record::Run::store},
                                         JsonField{"until", &record::Run::until},
                                         JsonField{"schedule", &record::Run::schedule},
                                         JsonField{"scheduled", &record::Run::scheduled},
                                         JsonField{"keepsGoing", &record::Run::keeps_going},
                                         JsonField{"records", &record::Run::records},
                                         JsonField{"isJob", &record::Run::is_job}};
  static void write(const record::Run& what, Json& json) {
    json.update({{"id", what.id},
                 {"file", what.file},
                 {"pipeline", what.pipeline},
                 {"text", what.text},
                 {"params", what.params}});
    if (!what.target.is_null())
      json.update({{"target", what.target},
                   {"user", what.user},
                   {"store", what.store},
                   {"renewal", {{"all", what.renewal.all}, {"steps", what.renewal.steps}}}});
    set_said(json, {{"name", what.name},
                    {"until", what.until},
                    {"schedule", what.schedule},
                    {"scheduled", what.scheduled},
                    {"keepsGoing", what.keeps_going ? Json(true) : Json()},
                    {"records", what.records ? Json(true) : Json()}});
    if (what.is_job) json.update({{"isJob", true}, {"settings", what.settings}});
    if (what.git) json["git"] = *what.git;
  }
  static record::Run read(const Json& json) {
    record::Run run;
    read_fields(json, run, kFields);
    run.params = object_at(json, {"params"});
    run.target = json.value("target", Json());
    run.renewal.all = bool_at(json, {"renewal", "all"});
    for (const Json& step : array_at(json, {"renewal", "steps"})) run.renewal.steps.insert(step);
    run.settings = array_at(json, {"settings"});
    if (const auto git = json.find("git"); git != json.end()) run.git = *git;
    return run;
  }
};

template <>
struct Form<record::Session> {
  static constexpr std::string_view kName = "session";
  static constexpr std::tuple kFields = {JsonField{"owner", &record::Session::owner}};
};

template <>
struct Form<record::Hit> {
  static constexpr std::string_view kName = "hit";
  static void write(const record::Hit& what, Json& json) {
    json.update({{"step", what.step},
                 {"key", what.key},
                 {"outputs", what.outputs},
                 {"from", what.from},
                 {"cause", what.cause}});
  }
  static record::Hit read(const Json& json) {
    require_step(json);
    return {string_at(json, {"step"}), string_at(json, {"key"}), object_at(json, {"outputs"}),
            string_at(json, {"from"}), string_at(json, {"cause"})};
  }
};

template <>
struct Form<record::Begun> {
  static constexpr std::string_view kName = "begun";
  static void write(const record::Begun& what, Json& json) {
    json.update({{"step", what.step},
                 {"attempt", what.attempt},
                 {"job", what.job},
                 {"key", what.key},
                 {"parts", what.parts},
                 {"inputs", what.inputs},
                 {"cause", what.cause}});
  }
  static record::Begun read(const Json& json) {
    require_step(json);
    return {string_at(json, {"step"}),  static_cast<int>(int_at(json, {"attempt"})),
            string_at(json, {"job"}),   string_at(json, {"key"}),
            object_at(json, {"parts"}), object_at(json, {"inputs"}),
            string_at(json, {"cause"})};
  }
};

template <>
struct Form<record::Running> {
  static constexpr std::string_view kName = "running";
  static constexpr std::tuple kFields = {JsonField{"step", &record::Running::step}};
  static constexpr auto require = require_step;
};

template <>
struct Form<record::Items> {
  static constexpr std::string_view kName = "items";
  static void write(const record::Items& what, Json& json) {
    json.update({{"step", what.step}, {"items", what.items}});
  }
  static record::Items read(const Json& json) {
    require_step(json);
    return {string_at(json, {"step"}), json.value("items", Json())};
  }
};

template <>
struct Form<record::Lost> {
  static constexpr std::string_view kName = "lost";
  static constexpr std::tuple kFields = {JsonField{"step", &record::Lost::step},
                                         JsonField{"cause", &record::Lost::cause}};
  static constexpr auto require = require_step;
};

template <>
struct Form<record::Wait> {
  static constexpr std::string_view kName = "wait";
  static constexpr std::tuple kFields = {JsonField{"step", &record::Wait::step},
                                         JsonField{"cause", &record::Wait::cause}};
  static constexpr auto require = require_step;
};

template <>
struct Form<record::Again> {
  static constexpr std::string_view kName = "again";
  static constexpr std::tuple kFields = {
      JsonField{"step", &record::Again::step}, JsonField{"cause", &record::Again::cause},
      JsonField{"until", &record::Again::until}, JsonField{"isLost", &record::Again::is_lost}};
  static constexpr auto require = require_step;
  static void write(const record::Again& what, Json& json) {
    json.update(fields_to_json(what, kFields));
    if (what.until) json["until"] = rfc3339_micro(*what.until);
  }
};

template <>
struct Form<record::Ended> {
  using How = record::Ended::How;
  static constexpr std::string_view kName = "ended";
  static void write(const record::Ended& what, Json& json) {
    json.update({{"step", what.step}, {"isDone", what.how == How::done}, {"cause", what.cause}});
    if (what.how == How::cancelled) json["isStopped"] = true;
    if (what.outputs) json["outputs"] = *what.outputs;
    set_said(json, {{"imageId", what.image_id}, {"lock", what.lock}});
    if (what.job_ended) json["jobEnded"] = rfc3339(*what.job_ended);
  }
  static record::Ended read(const Json& json) {
    require_step(json);
    const How how = bool_at(json, {"isDone"})      ? How::done
                    : bool_at(json, {"isStopped"}) ? How::cancelled
                                                   : How::failed;
    record::Ended ended{string_at(json, {"step"}), how, string_at(json, {"cause"})};
    if (json.contains("outputs")) ended.outputs = object_at(json, {"outputs"});
    ended.image_id = string_at(json, {"imageId"});
    ended.lock = string_at(json, {"lock"});
    ended.job_ended = parse_rfc3339(string_at(json, {"jobEnded"}));
    return ended;
  }
};

template <>
struct Form<record::Skipped> {
  static constexpr std::string_view kName = "skipped";
  static constexpr std::tuple kFields = {JsonField{"step", &record::Skipped::step},
                                         JsonField{"cause", &record::Skipped::cause}};
  static constexpr auto require = require_step;
};

template <>
struct Form<record::Resumed> {
  static constexpr std::string_view kName = "resumed";
  static constexpr std::tuple kFields = {JsonField{"request", &record::Resumed::request}};
};

template <>
struct Form<record::End> {
  static constexpr std::string_view kName = "end";
  static void write(const record::End& what, Json& json) { json["outcome"] = name_of(what.outcome); }
  static record::End read(const Json& json) {
    const auto outcome = value_for(kOutcomes, string_at(json, {"outcome"}));
    if (!outcome) throw broken_journal("no outcome: " + compact_text(json));
    return {*outcome};
  }
};

template <>
struct Form<record::Unknown> {
  static constexpr std::string_view kName{};
  static void write(const record::Unknown& /*what*/, Json& /*json*/) {}
  static record::Unknown read(const Json& /*json*/) { return {}; }
};

}  // namespace

std::string_view name_of(Outcome outcome) {
  return word_for(kOutcomes, outcome);
}

std::string_view name_of(const Record& record) {
  const auto* unknown = std::get_if<record::Unknown>(&record.what);
  return unknown ? std::string_view(unknown->name) : engine::name_of_kind<Form>(record.what);
}

const std::string* step_of(const Record& record) {
  return std::visit(
      [](const auto& what) -> const std::string* {
        if constexpr (requires { what.step; }) return &what.step;
        return nullptr;
      },
      record.what);
}

Json to_json(const Record& record) {
  Json json = {{"what", name_of(record)}, {"time", rfc3339_micro(record.time)}};
  std::visit([&](const auto& what) { engine::write_members<Form>(what, json); }, record.what);
  return json;
}

void from_json(const Json& line, Record& record) try {
  const std::string name = string_at(line, {"what"});
  const auto time = parse_rfc3339(string_at(line, {"time"}));
  if (!time) throw broken_journal("a record has no time: " + compact_text(line));
  record.time = *time;
  record.what = record::Unknown{name};
  engine::read_as<Form>(record.what, name, line);
} catch (const Json::exception& error) {
  throw broken_journal(exception_text(error) + ": " + compact_text(line));
}

bool is_end(const Json& line) {
  return line.is_object() && string_at(line, {"what"}) == Form<record::End>::kName;
}

Error broken_journal(const std::string& why) {
  return {ErrorCode::failure, "the run's journal is broken", why, "kml run delete removes the run"};
}

}  // namespace kml::pipeline
