#include "pipeline/runner/serve_steps.h"

#include <set>
#include <string_view>
#include <utility>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/text.h"
#include "kml/job/render/evaluate.h"
#include "kml/job/render/problems.h"
#include "kml/pipeline/engine/artifacts.h"
#include "kml/pipeline/engine/pins.h"
#include "kml/pipeline/engine/runs.h"
#include "kml/serve/model/manifests.h"
#include "pipeline/runner/filled_here.h"
#include "pipeline/runner/own_command.h"

namespace kml::pipeline {

namespace {

using engine::JobReport;

/// Settings that describe jobs. kml serve overrides them if they are in kml.yaml, and rejects them as flags.
const std::set<std::string> kOfJobs = {"name", "template", "nodes", "queue", "retries", "time-limit",
                                       "ttl",  "array",    "param", "set",   "topology"};

/// The step's flags for kml serve. The first word is the model's name.
std::vector<std::string> serve_flags(const StepJob& job, const std::string& file) {
  render::Problems problems(file);
  const Json values = render::evaluate(job.step->serve, job.scope, problems);
  problems.raise("step " + job.step->name + " cannot be served");
  std::vector<std::string> words = {job.step->name};
  for (const auto& [flag, value] : values.items()) {
    const std::string text = value.is_string() ? value.get<std::string>() : compact_text(value);
    if (flag == "name")
      words[0] = text;
    else
      words.push_back("--" + flag + "=" + with_unit(flag, text));
  }
  return words;
}

/// Takes the cause ("iris does not run: exit code 7") and the server's last lines from the output of kml
/// serve.
void explain(const std::string& messages, JobReport& end) {
  constexpr std::string_view kError = "kml: error: ", kWhy = "  why: ", kLogLine = "kml:   ";
  for (const std::string& line : split(messages, '\n')) {
    if (line.starts_with(kLogLine))
      end.last_lines.push_back(line.substr(kLogLine.size()));
    else if (line.starts_with(kError))
      end.cause = line.substr(kError.size());
    else if (line.starts_with(kWhy) && !end.cause.empty())
      end.cause += ": " + line.substr(kWhy.size());
  }
  if (end.cause.empty()) end.cause = "kml serve was killed";
}

}  // namespace

std::filesystem::path ServeSteps::messages_of(const std::string& job) const {
  return run_folder(options_.run) / (job + ".messages");
}

std::vector<std::string> ServeSteps::command_line(const StepJob& job) const {
  FilledStep filled = filled_here(options_, pipeline_, job);
  std::vector<std::string> words = {"serve"};
  const auto add = [&](const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
  };
  add(serve_flags(job, pipeline_.file));
  add(options_.target_flags);
  std::erase_if(filled.settings, [&](const spec::Setting& setting) {
    if (setting.name != "time-limit") return false;
    words.push_back("--timeout=" + setting.value);
    return true;
  });
  StepRunnerOptions options = options_;
  std::erase_if(options.defaults,
                [](const spec::Setting& setting) { return kOfJobs.contains(setting.name); });
  add(setting_flags(options, filled));
  if (!options_.is_local) add(input_mounts(job, options_.store, "a served model"));
  add({"--"});
  add(filled.command);
  return words;
}

/// Pins the files that the server reads, so that they are kept until they are unpinned.
void ServeSteps::pin_inputs(const StepJob& job) const {
  for (const Input& input : job.step->inputs) {
    std::vector<std::string> names;
    if (!input.artifact.empty()) names.push_back(input.artifact);
    for (const Source& source : input.sources) names.push_back(options_.run + "/" + source.text());
    for (const std::string& name : names) try {
        const Artifact artifact = find_artifact(name);
        if (is_tree(artifact.kind) && artifact.is_there) pin(store_, artifact);
      } catch (const Error& error) {
        if (error.code != ErrorCode::usage) throw;  // a source of oneOf was not made
      }
  }
}

void ServeSteps::start(const StepJob& job) {
  const std::vector<std::string> argv = own_command(command_line(job));
  if (options_.is_local) pin_inputs(job);
  const ProcessOptions how{.folder = options_.folder,
                           .environment = {std::string(serve::kServedByVariable) + "=" + options_.id},
                           .errors_file = messages_of(job.name)};
  live_[job.name] = {.process = std::make_unique<RunningProcess>(argv, how)};
}

JobReport ServeSteps::end_of(const std::string& job, Live& live) {
  JobReport end{.kind = JobReport::Kind::ended, .job = job, .time = system_clock().now()};
  if (live.is_stopped) {
    end.cause = "stopped";
    return end;
  }
  const ProcessResult result = live.process->finish();
  end.succeeded = result.exit_code == 0;
  if (end.succeeded)
    urls_[job] = result.out.substr(0, result.out.find('\n'));
  else
    explain(read_file_if_exists(messages_of(job)).value_or(""), end);
  return end;
}

std::vector<JobReport> ServeSteps::reports() {
  std::vector<JobReport> reports;
  for (auto& [name, live] : live_) {
    if (!std::exchange(live.is_told, true))
      reports.push_back({.kind = JobReport::Kind::running, .job = name, .time = system_clock().now()});
    if (live.is_stopped || live.process->has_ended()) reports.push_back(end_of(name, live));
  }
  for (const JobReport& report : reports)
    if (report.kind == JobReport::Kind::ended) live_.erase(report.job);
  return reports;
}

}  // namespace kml::pipeline
