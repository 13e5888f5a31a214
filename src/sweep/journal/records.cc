#include <cmath>

#include "kml/sweep/sweep_state.h"
#include "sweep/journal/wave.h"

namespace kml::sweep {

namespace {

Json record_of(const char* kind, Time time) {
  return {{"record", kind}, {"time", rfc3339_micro(time)}};
}

Json trial_record(const char* kind, const Trial& trial, Time time) {
  Json record = record_of(kind, time);
  record["trial"] = trial.number;
  return record;
}

void add_results(Json& record, const Trial& trial) {
  if (!trial.curve.empty()) record["curve"] = trial.curve;
  if (!trial.metrics.empty()) record["metrics"] = trial.metrics;
}

}  // namespace

Json sweep_record(const std::string& id, const Json& document, const Json& target, Time time) {
  Json record = record_of("sweep", time);
  record.update({{"id", id}, {"version", 1}, {"document", document}, {"target", target}});
  return record;
}

Json session_record(const std::string& owner, Time time) {
  Json record = record_of("session", time);
  record["owner"] = owner;
  return record;
}

Json change_record(const Json& document, Time time) {
  Json record = record_of("change", time);
  record["document"] = document;
  return record;
}

Json asked_record(std::uint64_t trial, const Json& values, Time time) {
  Json record = record_of("asked", time);
  record.update({{"trial", trial}, {"values", values}});
  return record;
}

Json begun_record(const Trial& trial, const std::string& job, int rung, int attempt, double until,
                  Time time) {
  Json record = trial_record("begun", trial, time);
  record.update({{"job", job}, {"rung", rung}, {"attempt", attempt}});
  if (until > 0) record["until"] = until;
  return record;
}

Json wave_record(const Wave& wave, Time time) {
  Json record = record_of("wave", time);
  record.update({{"job", wave.job}, {"trials", ranges_of(wave.trials)}});
  return record;
}

Json running_record(const Trial& trial, const std::string& node, Time time) {
  Json record = trial_record("running", trial, time);
  record["node"] = node;
  return record;
}

Json waiting_record(const Trial& trial, Time time) {
  return trial_record("waiting", trial, time);
}

Json rung_record(const Trial& trial, double resource, double value, std::string_view decision,
                 double gpu_seconds, Time time) {
  Json record = trial_record("rung", trial, time);
  record.update(
      {{"resource", resource}, {"value", value}, {"decision", decision}, {"gpuSeconds", gpu_seconds}});
  if (decision == "pause") add_results(record, trial);
  return record;
}

Json failed_record(const Trial& trial, const std::string& cause, const std::string& node, double gpu_seconds,
                   bool is_lost, Time time) {
  Json record = trial_record("failed", trial, time);
  record.update({{"cause", cause}, {"node", node}, {"gpuSeconds", gpu_seconds}, {"lost", is_lost}});
  add_results(record, trial);
  return record;
}

Json disrupted_record(const Trial& trial, const std::string& cause, const std::string& node,
                      double gpu_seconds, Time time) {
  Json record = failed_record(trial, cause, node, gpu_seconds, false, time);
  record["disrupted"] = true;
  return record;
}

Json ended_record(const Trial& trial, Time time) {
  Json record = trial_record("ended", trial, time);
  record.update({{"outcome", trial.outcome}, {"gpuSeconds", trial.gpu_seconds}, {"node", trial.node}});
  if (!trial.cause.empty()) record["cause"] = trial.cause;
  // JSON has no NaN; the outcome tells.
  if (trial.value && std::isfinite(*trial.value)) record["value"] = *trial.value;
  add_results(record, trial);
  return record;
}

Json withdrawn_record(const Trial& trial, double gpu_seconds, Time time) {
  Json record = trial_record("withdrawn", trial, time);
  record["gpuSeconds"] = gpu_seconds;
  add_results(record, trial);
  return record;
}

Json end_record(const std::string& reason, Time time) {
  Json record = record_of("end", time);
  record["reason"] = reason;
  return record;
}

}  // namespace kml::sweep
