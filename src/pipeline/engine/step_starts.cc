#include "pipeline/engine/step_starts.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "kml/base/sha256.h"
#include "pipeline/engine/run_time.h"
#include "pipeline/engine/skip_reason.h"

namespace kml::pipeline {

namespace {

bool has_path(const Step& step, const std::string& path) {
  return std::any_of(step.outputs.begin(), step.outputs.end(),
                     [&](const Output& output) { return output.path == path; });
}

}  // namespace

void StepStarts::reattach(const Step& step) {
  use_.decisions.start(use_.jobs.of(step, false));
  // Another run may have started to make the same results in the meantime. This job continues anyway.
  for (const std::string& key : path_keys(step)) use_.claims.take_if_free(step.name, key);
  use_.claims.take_if_free(step.name, use_.run.state_of(step).key);
}

bool StepStarts::is_crowded(const Step& step) const {
  const StepIndex::Places& running = use_.run.places().in(Phase::running);
  for (const Output& output : step.outputs)
    if (!output.path.empty() && use_.runner.shares_folder() &&
        std::ranges::any_of(running,
                            [&](size_t place) { return has_path(use_.run.step_at(place), output.path); }))
      return true;
  return step.parallel != 0 && std::ranges::count_if(running, [&](size_t place) {
                                 return use_.run.step_at(place).group == step.group;
                               }) >= step.parallel;
}

void StepStarts::consider(const Step& step) {
  if (!use_.claims.stop_awaiting(step.name)) return;
  if (const std::string reason = reason_to_skip(step, use_.run, use_.inputs, use_.course); !reason.empty())
    return use_.decisions.decide(record::Skipped{step.name, reason});
  const record::Run& head = use_.run.head();
  const Json inputs = use_.inputs.of(step);
  const Json values = keyed_values(head, use_.run.state().began().value_or(Time()));
  Verdict verdict = use_.cache.look(step, values, inputs, head.renewal);
  if (!verdict.result && !claim_what_it_makes(step, verdict)) return;
  // The last holder of the claim may meanwhile have stored a result.
  if (!verdict.result && step.is_cached)
    verdict = use_.cache.look_again(step, std::move(verdict), head.renewal);
  if (!verdict.result) {
    if (std::string fault = changed_input(step, inputs); !fault.empty())
      return use_.decisions.decide(record::Ended{step.name, record::Ended::How::failed, std::move(fault)});
    return begin(step, verdict, inputs);
  }
  use_.claims.release(step.name);
  const Json result = use_.cache.use(step, verdict.key, *verdict.result);
  use_.decisions.decide(
      record::Hit{step.name, verdict.key, object_at(result, {"outputs"}), string_at(result, {"run"})});
}

/// The keys of the files that the step writes to paths of its own. All runs on this machine that write to the
/// same file share its key.
std::vector<std::string> StepStarts::path_keys(const Step& step) const {
  std::vector<std::string> keys;
  if (!use_.runner.shares_folder()) return keys;
  const yaml::Node* const chdir = step.settings.find("chdir");
  for (const Output& output : step.outputs) {
    if (output.path.empty()) continue;
    const std::filesystem::path path = use_.run.pipeline().folder / (chdir ? chdir->text : "") / output.path;
    std::error_code unknown;
    const std::filesystem::path canonical = std::filesystem::weakly_canonical(path, unknown);
    keys.push_back("path-" + sha256_hex((unknown ? path.lexically_normal() : canonical).string()));
  }
  return keys;
}

/// Claims the key. Returns false if another step or run holds the key; then the step must wait.
bool StepStarts::claim_key(const Step& step, const std::string& key, const char* what) {
  if (use_.claims.take(step.name, key)) return true;
  const std::string cause = fmt::format("waits for {}, which {}", use_.claims.holder(key), what);
  if (use_.run.state_of(step).cause != cause) use_.decisions.decide(record::Wait{step.name, cause});
  return false;
}

/// Returns false if the step must wait, because another run on this machine, or another step in this run, is
/// making the same result or writes to the same file. If the user asked to run the step again, it does not
/// wait for another's result.
bool StepStarts::claim_what_it_makes(const Step& step, const Verdict& verdict) {
  for (const std::string& key : path_keys(step))
    if (!claim_key(step, key, "writes to the same file")) return false;
  if (!step.is_cached) return true;
  const Renewal& renewal = use_.run.head().renewal;
  if (!renewal.all && !renewal.names(step)) return claim_key(step, verdict.key, "is making the same result");
  use_.claims.take_if_free(step.name, verdict.key);
  return true;
}

/// An input that has changed since a step made it: "its input data changed since load made it". Empty if no
/// input has changed.
std::string StepStarts::changed_input(const Step& step, const Json& inputs) const {
  const auto fault = [&](const std::string& name, const Json& made, const Source& source) {
    if (use_.cache.is_there(made)) return std::string();
    const std::string path = string_at(made, {"path"}, "it");
    std::error_code unknown;
    return "its input " + name +
           (std::filesystem::exists(path, unknown)
                ? " changed since " + source.step + " made it: another step or program wrote to " + path
                : " has disappeared since " + source.step + " made it: " + path + " was removed");
  };
  for (const Input& input : step.inputs) {
    if (input.is_outside() || !inputs.contains(input.name)) continue;
    const Json& made = inputs.at(input.name);
    std::string found;
    if (!made.is_array())
      found = fault(input.name, made, *use_.inputs.source_of(input));
    else
      for (size_t i = 0; found.empty() && i < made.size(); ++i)
        found = fault(input.name, made[i], input.sources[i]);
    if (!found.empty()) return found;
  }
  return {};
}

void StepStarts::begin(const Step& step, const Verdict& verdict, const Json& inputs) {
  const int attempt = use_.run.state_of(step).attempt;
  use_.decisions.decide(record::Begun{step.name, attempt, use_.jobs.name(step, attempt), verdict.key,
                                      verdict.parts, inputs, verdict.cause});
  use_.decisions.start(use_.jobs.of(step, true));
}

}  // namespace kml::pipeline
