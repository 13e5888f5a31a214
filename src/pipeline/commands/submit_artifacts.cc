#include "pipeline/commands/submit_artifacts.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <ostream>
#include <set>
#include <utility>

#include "job/commands/follow.h"
#include "job/commands/wait_for_jobs.h"
#include "kml/base/agent.h"
#include "kml/base/files.h"
#include "kml/base/flag_errors.h"
#include "kml/base/missing_path.h"
#include "kml/base/text.h"
#include "kml/job/spec/submit_spec.h"
#include "kml/job/submit/submit_record.h"
#include "kml/job/views/find.h"
#include "kml/pipeline/engine/artifacts.h"
#include "kml/pipeline/engine/runs.h"
#include "kml/ui/objects.h"
#include "pipeline/commands/run_detached.h"
#include "pipeline/commands/run_record.h"
#include "pipeline/commands/run_session.h"
#include "pipeline/commands/submit_data.h"
#include "pipeline/file/parse_pipeline.h"
#include "sweep/commands/sweep_session.h"

namespace kml::cli {

namespace {

namespace fs = std::filesystem;

/// The absolute path of a file or folder on this machine.
std::string existing(const std::string& source) {
  fs::path path = fs::absolute(source).lexically_normal();
  if (const auto fault = fault_of_path(path))
    throw usage_error("--input: cannot read " + source, fault->why, fault->fix);
  return path;
}

/// The name of the step. Its outputs are called RUN/job.OUTPUT.
constexpr const char* kStep = "job";

/// Settings that belong to the step, because their values may contain placeholders or relative paths.
const std::set<std::string> kOfStep = {"env", "chdir", "code", "mount", "requirements", "conda"};

void refuse_together(const SubmitFlags& flags, const SendOptions& options) {
  const auto refuse = [](const std::string& flag, const std::string& why) {
    throw not_together(flag, "--input and --output", why);
  };
  if (!flags.files.empty())
    refuse("-f", "these flags change the command after \"--\"; a manifest has its own command");
  if (!options.dry_run.empty()) refuse("--dry-run", "a background process creates the job");
  if (options.test_only) refuse("--test-only", "a background process creates the job");
  if (options.replace)
    refuse("--replace", "the artifacts of the earlier job keep its name; choose another --name");
  if (!flags.key.empty()) refuse("--idempotency-key", "each `kml submit` creates a new run");
  refuse_log_after_data(options);
  if (options.follow && options.wait)
    throw not_together("--follow", "--wait", "", "leave out --wait; --follow already waits");
  if (options.timeout && !options.wait) throw usage_error("--timeout needs --wait");
  for (const spec::Setting& setting : flags.settings) {
    if (setting.name == "array") refuse("--array", "all tasks would write the same output");
    if (setting.name == "secret" && setting.value.ends_with("=-"))
      refuse("--secret " + setting.value, "the job is created in the background, without standard input");
  }
}

/// Throws Error unless the command, or a variable from --env, uses a placeholder for each input, and for each
/// output without a path. If one is missing, it was misspelled, or the shell has expanded it.
void require_uses(const SubmitFlags& flags, const ArtifactFlags& artifacts) {
  std::string text = join(flags.command, " ");
  for (const spec::Setting& setting : flags.settings)
    if (setting.name == "env") text += " " + setting.value;
  const auto require = [&](const std::string& kind, const std::string& flag, const std::string& other) {
    const std::string name = split_pair(flag).first, placeholder = "${" + kind + "." + name + "}";
    if (text.find(placeholder) == std::string::npos)
      throw usage_error("the command does not use " + placeholder,
                        kind == "in" ? "that is the path of input " + name
                                     : "that is the path from which output " + name + " is taken",
                        "write '" + placeholder + "' in the command, in single quotes" + other);
  };
  for (const std::string& flag : artifacts.inputs) require("in", flag, "");
  for (const std::string& flag : artifacts.outputs)
    if (flag.find('=') == std::string::npos)
      require("out", flag, "; or give the file that the command writes: --output " + flag + "=PATH");
}

/// Escapes "$" except in placeholders for inputs and outputs, because `${HOME}`, for example, is for the
/// command.
std::string escaped(const std::string& text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = std::string_view(text).substr(i);
    if (rest[0] == '$' && !rest.starts_with("${in.") && !rest.starts_with("${out.")) result += '$';
    result += rest[0];
  }
  return result;
}

/// Throws usage Error if an --input has a name but no value.
void require_sources(const std::vector<std::string>& inputs) {
  for (const std::string& flag : inputs)
    if (split_pair(flag).second.empty())
      throw invalid_value(flag, "--input", "NAME=RUN/STEP.OUTPUT, or NAME=./FILE for a file on this machine",
                          "`kml artifact list` shows the artifacts");
}

Json inputs_of_flags(const std::vector<std::string>& flags) {
  Json inputs = Json::object();
  for (const std::string& flag : flags) {
    const auto [name, source] = split_pair(flag);
    if (inputs.contains(name)) throw usage_error("input " + name + " is given twice");
    if (source[0] == '.' || source[0] == '/')
      inputs[name] = {{"path", existing(source)}};
    else
      inputs[name] = {{"artifact", pipeline::find_artifact(source).name.text()}};
  }
  return inputs;
}

Json outputs_of_flags(const std::vector<std::string>& flags) {
  Json outputs = Json::object();
  for (const std::string& flag : flags) {
    const auto [name, path] = split_pair(flag);
    if (outputs.contains(name)) throw usage_error("output " + name + " is given twice");
    outputs[name] = path.empty() ? Json("artifact") : Json{{"path", path}};
  }
  return outputs;
}

/// Adds a setting to the step, as a value or as an item of a list or a map.
void add_setting_of_step(const spec::Setting& setting, Json& step) {
  const spec::Flag& flag = *spec::submit_flag(setting.name);
  Json& value = step[std::string(flag.key)];
  if (flag.is_map) {
    auto [name, text] = split_pair(setting.value);
    if (setting.value.find('=') == std::string::npos) {
      const char* own = variable_for_job(name);
      text = own ? own : "";
    }
    value[name] = escaped(text);
  } else if (flag.repeats) {
    value.push_back(setting.value);
  } else {
    value = setting.value;
  }
}

/// The text of a pipeline file that only has this step.
std::string text_of_job(const SubmitFlags& flags, const ArtifactFlags& artifacts, const std::string& base) {
  Json step = {{"cache", false}, {"command", Json::array()}};
  if (Json inputs = inputs_of_flags(artifacts.inputs); !inputs.empty()) step["inputs"] = std::move(inputs);
  if (Json outputs = outputs_of_flags(artifacts.outputs); !outputs.empty())
    step["outputs"] = std::move(outputs);
  for (const std::string& word : flags.command) step["command"].push_back(escaped(word));
  for (const spec::Setting& setting : flags.settings) {
    if (kOfStep.contains(setting.name)) add_setting_of_step(setting, step);
    if (setting.name == "retries") step["retries"] = Json::parse(setting.value, nullptr, false);
  }
  return json_text({{"apiVersion", "kml.dev/v1"},
                    {"kind", "Pipeline"},
                    {"metadata", {{"name", base}}},
                    {"spec", {{"steps", {{kStep, std::move(step)}}}}}});
}

/// All other settings, which go into the run's first record.
Json other_settings(const SubmitFlags& flags) {
  Json settings = Json::array();
  for (const spec::Setting& setting : flags.settings)
    if (!kOfStep.contains(setting.name) && setting.name != "retries" && setting.name != "name")
      settings.push_back({{"name", setting.name}, {"value", setting.value}});
  return settings;
}

/// Throws Error for outputs that would be lost. On this machine, a pod's copy of the code is deleted with the
/// pod, and so are all files that the pod writes into it.
void refuse_lost_outputs(Context& context, const SubmitFlags& flags, const ArtifactFlags& artifacts) {
  const auto is_code = [](const spec::Setting& setting) { return setting.name == "code"; };
  if (!context.place().is_local || std::none_of(flags.settings.begin(), flags.settings.end(), is_code))
    return;
  for (const std::string& flag : artifacts.outputs) {
    const auto [name, path] = split_pair(flag);
    if (!path.empty() && path[0] != '/')
      throw usage_error("cannot take output " + name + " from " + path,
                        "with --code, the command starts in a folder that is deleted with the pod",
                        "let the command write to '${out." + name + "}', or to an absolute path");
  }
}

/// Throws usage Error for invalid data here, because an error of the engine would not name the flag.
void require_data(const spec::SubmitSpec& spec) {
  const bool has_store = !pipeline::claim_of_data_store(spec.data_store).empty();
  if (parsed_data(spec.data).empty() && has_store && spec.given.contains("data-store"))
    throw usage_error("--data-store needs --data");
}

/// Starts the journal of the run. Returns the name of the run, which is also the job's.
std::string begin_run(Context& context, const SubmitFlags& flags, const ArtifactFlags& artifacts) {
  if (auto error = context.distrust(flags.settings)) throw std::move(*error);
  std::vector<spec::Setting> settings = context.config().submit_settings();
  settings.insert(settings.end(), flags.settings.begin(), flags.settings.end());
  const spec::SubmitSpec spec = spec::parse_settings(settings, flags.command);
  require_data(spec);
  const std::string base = spec::name_base(spec).substr(0, 40);
  std::string name = spec.name.empty() ? base + "-" + random_suffix() : checked_run_name(context, spec.name);
  const fs::path file = fs::current_path() / "kml submit";
  const pipeline::Pipeline job =
      pipeline::parse_pipeline(text_of_job(flags, artifacts, base), "the job's inputs and outputs");
  pipeline::record::Run record = first_run_record(context, file, job, Json::object(), {}, artifacts.store);
  const Time began = system_clock().now();
  record.is_job = true;
  record.settings = other_settings(flags);
  record.git = job::GitState(file.parent_path()).take();
  record.name = name;
  PipelineHere(context, file, job, record).check(Json::object());
  refuse_lost_outputs(context, flags, artifacts);
  pipeline::Journal journal = pipeline::open_run(name, owner());
  journal.add({began, record});
  journal.commit();
  return name;
}

/// The run's job; empty if the engine has not created it yet.
std::optional<Json> created_job(Context& context, const pipeline::RunState& run) {
  const std::string& name = run.step(kStep).job;
  if (name.empty()) return {};
  try {
    return job::find_job(context.client(), context.target().namespace_name, name);
  } catch (const Error& error) {
    if (error.reason == "NotFound") return {};
    throw;
  }
}

pipeline::RunState wait_for_end(const std::string& run) {
  return wait_for_run(run, [](const pipeline::RunState&) { return false; });
}

/// Prints the names of the artifacts, and why the run failed, if it did. Returns the exit code.
int report_outputs(Context& context, const pipeline::RunState& run) {
  for (const pipeline::Artifact& artifact : artifacts_of(run)) context.note("saved " + artifact.name.text());
  if (run.end() == pipeline::Outcome::succeeded) return 0;
  if (const std::string& cause = run.step(kStep).cause; !cause.empty()) context.note(cause);
  return static_cast<int>(ErrorCode::job_failed);
}

void print_job(Context& context, const pipeline::RunState& run, const Json& job, const SendOptions& options) {
  const std::vector<Json> jobs{job};
  if (ui::print_objects(context.streams(), jobs, options.output, false)) return;
  context.streams().out << "job " << run.step(kStep).job << " submitted" << std::endl;
}

}  // namespace

void add_output_flag(Command& command, std::vector<std::string>& outputs) {
  Option& format = *command.find("--output");
  format.names = "-o";
  auto accept = [&outputs, choices = format.choices,
                 accept_format = format.accept](const std::string& value) {
    const std::string name = value.substr(0, value.find('='));
    const bool is_format = std::find(choices.begin(), choices.end(), name) != choices.end();
    if (is_format)
      accept_format(value);
    else
      outputs.push_back(value);
  };
  command
      .add({"--output",
            "NAME[=PATH]",
            "save the file or folder that the job writes to PATH, or to ${out.NAME}",
            true,
            {},
            accept})
      .after("--input")
      .details(
          "When the job succeeds, save the file or folder at PATH as the artifact JOB/job.NAME. Without "
          "PATH, the command must write the output to ${out.NAME}. If the output does not exist at the end, "
          "the "
          "job fails. A background process saves the artifact; if that process was killed, `kml run resume "
          "JOB` saves the artifact. On a cluster, the outputs may have at most 4 MiB without --store. If "
          "NAME "
          "is an output format (json, yaml, ...), the flag means -o. May be repeated.");
}

int submit_with_artifacts(Context& context, const SubmitFlags& flags, const ArtifactFlags& artifacts,
                          const SendOptions& options) {
  refuse_together(flags, options);
  require_sources(artifacts.inputs);
  require_uses(flags, artifacts);
  const std::string name = begin_run(context, flags, artifacts);
  context.tell_target();
  run_in_other_process(context, name);
  std::optional<Json> created;
  const pipeline::RunState run = wait_for_run(name, [&](const pipeline::RunState& state) {
    created = created_job(context, state);
    return created.has_value();
  });
  if (run.end() == pipeline::Outcome::failed && !run.step(kStep).is_seen)
    throw Error(ErrorCode::job_failed, "job " + name + " was not submitted", run.step(kStep).cause);
  const Json job =
      created ? *created
              : job::find_job(context.client(), context.target().namespace_name, run.step(kStep).job);
  print_job(context, run, job, options);
  if (!options.follow && !options.wait) {
    context.note("`kml artifact list " + name + "` lists its artifacts when it has finished");
    return 0;
  }
  const int code =
      options.follow
          ? follow_jobs(context, {.selection = {.jobs = {job}, .gone_pods = context.place().is_local},
                                  .notify = options.notify})
          : wait_for_jobs(context, {job}, options.timeout, {}, options.notify);
  return code != 0 ? code : report_outputs(context, wait_for_end(name));
}

}  // namespace kml::cli
