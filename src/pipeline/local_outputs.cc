#include "kml/pipeline/local_outputs.h"

#include "kml/core/error.h"
#include "kml/core/files.h"
#include "kml/pipeline/sent_outputs.h"

namespace kml::pipeline {

namespace {

/// Calls `take` with each output that has a place, and with that.
template <typename Take>
void each_place(const StepJob& job, const Take& take) {
  for (const Output& output : job.step->outputs)
    if (output.kind != OutputKind::metric)
      take(output, std::filesystem::path(job.scope.at("out").at(output.name).get<std::string>()));
}

}  // namespace

std::string LocalOutputs::place(const std::string& run, const Step& step, int attempt,
                                const Output& output) const {
  return store_.output_path(run, step.name, attempt, output.name);
}

void LocalOutputs::prepare(const StepJob& job) const {
  const auto prepare_place = [&](const std::filesystem::path& path) {
    job.is_new ? store_.prepare(path) : store_.make_folder_of(path);
  };
  each_place(job, [&](const Output&, const std::filesystem::path& path) { prepare_place(path); });
  if (job.step->program) prepare_place(string_at(job.scope.at("out"), {StepProgram::kResultFile}));
}

Json LocalOutputs::made_by(const StepJob& job) const {
  if (job.step->program) return job.step->program->made_by(*job.step, job.scope, store_);
  Json made = Json::object();
  each_place(job, [&](const Output& output, const std::filesystem::path& path) {
    if (!is_tree(output.kind)) {
      made[output.name] = {{"value", value_at(path, output)}};
      return;
    }
    const Tree tree = store_.keep(path);
    made[output.name] = {{"kind", name_of(output.kind)},
                         {"path", path},
                         {"digest", tree.digest},
                         {"bytes", tree.bytes},
                         {"files", tree.files}};
  });
  return made;
}

Json LocalOutputs::value_at(const std::filesystem::path& path, const Output& output) const {
  constexpr size_t kLongestValue = 64 << 10;
  const auto text = read_file_if_exists(path, kLongestValue);
  if (!text)
    throw Error(ErrorCode::job_failed, "it ended well, but did not write output " + output.name,
                "nothing is at " + path.string());
  return value_of_text(*text);
}

}  // namespace kml::pipeline
