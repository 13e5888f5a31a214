#include "pipeline/engine/local_outputs.h"

#include <fmt/format.h>

#include <system_error>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/value_text.h"
#include "kml/base/written_path.h"
#include "pipeline/engine/kept_output.h"
#include "pipeline/engine/sent_outputs.h"
#include "pipeline/store/copy_tree.h"

namespace kml::pipeline {

namespace {

namespace fs = std::filesystem;

/// Calls `take` with each output that has a place in the store, and with its path there.
template <typename Take>
void each_place(const StepJob& job, const LocalStore& store, const Take& take) {
  for (const Output& output : job.step->outputs)
    if (output.kind != OutputKind::metric)
      take(output, output.path.empty() ? fs::path(job.scope.at("out").at(output.name).get<std::string>())
                                       : store.output_path(string_at(job.scope.at("run"), {"name"}),
                                                           job.step->name, job.attempt, output.name));
}

/// large, because the file may contain a long list
constexpr size_t kLongestResult = size_t{16} << 20;

/// Copies an output from the path that the program has reported. Creates an empty file if the program wrote
/// none.
void take_over(const std::string& elsewhere, const fs::path& place, const Output& output) {
  std::error_code error;
  if (!elsewhere.empty()) {
    fs::remove_all(place, error);
    fs::copy(elsewhere, place, fs::copy_options::recursive, error);
  }
  if (error)
    throw Error(ErrorCode::job_failed, "cannot copy output " + output.name + " from " + elsewhere,
                error.message());
  if (!fs::exists(fs::symlink_status(place))) write_file_atomically(place, "", 0644);
}

Error unwritten(const Output& output, const std::string& why) {
  return {ErrorCode::job_failed, "it succeeded, but did not write output " + output.name, why};
}

/// Throws Error if the output is not of its kind. In pods, kml-step does the same.
void require_kind(const Output& output, fs::file_status at) {
  const bool is_folder = fs::is_directory(at);
  if ((output.kind == OutputKind::file && is_folder) ||
      (output.kind == OutputKind::folder && fs::is_regular_file(at)))
    throw Error(ErrorCode::job_failed, fmt::format("output {} is a {}, but its kind is {}", output.name,
                                                   is_folder ? "folder" : "file", name_of(output.kind)));
}

/// Throws Error if something other than a file is at the path of a value. Opening a named pipe would block
/// forever.
void require_readable(const fs::path& path, const std::string& output) {
  std::error_code unknown;
  const fs::file_status at = fs::status(path, unknown);
  if (fs::exists(at) && !fs::is_regular_file(at))
    throw Error(ErrorCode::job_failed,
                "output " + output + " is a value, but " + path.string() + " is not a file");
}

Json kept_tree(const Output& output, const fs::path& path, const LocalStore& store) {
  const fs::file_status at = fs::symlink_status(path);
  if (!fs::exists(at)) throw unwritten(output, "nothing exists at " + path.string());
  require_kind(output, at);
  const Tree tree = kept_output(output, path, store);
  return {{"kind", name_of(output.kind)},
          {"path", path},
          {"digest", tree.digest},
          {"bytes", tree.bytes},
          {"files", tree.files}};
}

class LeftHere final : public Leavings {
 public:
  LeftHere(const StepJob& job, const LocalStore& store) : places_(job.scope.at("out")), store_(store) {}

  std::optional<std::string> text(const std::string& output) const override {
    const std::string place = string_at(places_, {output});
    require_readable(place, output);
    return read_file_if_exists(place, kLongestResult);
  }
  Json tree(const Output& output, const std::string& elsewhere) const override {
    const std::string place = string_at(places_, {output.name});
    take_over(elsewhere, place, output);
    return kept_tree(output, place, store_);
  }

 private:
  const Json& places_;
  const LocalStore& store_;
};

}  // namespace

Tree kept_output(const Output& output, const fs::path& path, const LocalStore& store) {
  try {
    return store.keep(path);
  } catch (Error& error) {
    if (error.message == "cannot keep " + path.string()) error.message = "cannot keep output " + output.name;
    throw;
  }
}

std::string LocalOutputs::place(const std::string& run, const Step& step, int attempt,
                                const Output& output) const {
  return store_.output_path(run, step.name, attempt, output.name);
}

void LocalOutputs::prepare(const StepJob& job) const {
  const auto prepare_place = [&](const std::filesystem::path& path) {
    job.is_new ? store_.prepare(path) : store_.make_folder_of(path);
  };
  each_place(job, store_, [&](const Output&, const fs::path& path) { prepare_place(path); });
  if (job.step->program) prepare_place(string_at(job.scope.at("out"), {StepProgram::kResultFile}));
}

Json LocalOutputs::required(const StepJob& job, const fs::path& folder) const {
  Json paths = Json::object();
  if (job.step->program) return paths;
  each_place(job, store_, [&](const Output& output, const fs::path& path) {
    paths[output.name] = (output.path.empty() ? path : folder / output.path).string();
  });
  return paths;
}

Json LocalOutputs::made_by(const StepJob& job, const fs::path& folder) const {
  if (job.step->program) return job.step->program->made_by(*job.step, job.scope, LeftHere(job, store_));
  Json made = Json::object();
  each_place(job, store_, [&](const Output& output, const fs::path& path) {
    if (!output.path.empty()) fetch(job, output, folder / output.path, path);
    if (!is_tree(output.kind)) {
      made[output.name] = made_of_text(text_at(path, output));
      return;
    }
    made[output.name] = kept_tree(output, path, store_);
  });
  return made;
}

/// Copies an output that the command wrote to a path of its own. A file that existed before is not an output.
void LocalOutputs::fetch(const StepJob& job, const Output& output, const fs::path& from,
                         const fs::path& to) const {
  if (const std::string why = not_written(from, job.began); !why.empty()) throw unwritten(output, why);
  store_.prepare(to);
  copy_tree(from, manifest_of(from).tree.digest, to, true);
}

std::string LocalOutputs::text_at(const std::filesystem::path& path, const Output& output) const {
  constexpr size_t kLongestValue = 64 << 10;
  require_readable(path, output.name);
  std::error_code unknown;
  if (const auto size = fs::file_size(path, unknown); !unknown && size > kLongestValue)
    throw Error(ErrorCode::job_failed, "output " + output.name + " is too long for a value",
                fmt::format("it has {} bytes; a value may have at most {}", size, kLongestValue),
                "declare it as a file");
  const auto text = read_file_if_exists(path, kLongestValue);
  if (!text) throw unwritten(output, "nothing exists at " + path.string());
  return *text;
}

}  // namespace kml::pipeline
