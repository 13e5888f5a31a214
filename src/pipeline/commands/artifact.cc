#include <filesystem>
#include <memory>
#include <ostream>

#include "cli/commands.h"
#include "cli/context.h"
#include "cli/output_format.h"
#include "cli/page_output.h"
#include "kml/base/files.h"
#include "kml/base/text.h"
#include "kml/base/value_text.h"
#include "kml/pipeline/engine/artifacts.h"
#include "kml/pipeline/engine/pins.h"
#include "kml/pipeline/engine/runs.h"
#include "kml/pipeline/runner/s3_store.h"
#include "kml/pipeline/store/store.h"
#include "kml/sweep/tables/sweep_table.h"
#include "kml/ui/objects.h"
#include "pipeline/store/copy_tree.h"
#include "pipeline/store/manifest.h"
#include "pipeline/tables/artifact_table.h"

namespace kml::cli {

namespace {

namespace fs = std::filesystem;

struct ArtifactOptions {
  std::vector<std::string> words;
  std::string output;
  bool replaces = false;
};

/// The pinned artifacts of deleted runs or, if `run` is not empty, only of that run.
std::vector<pipeline::Artifact> artifacts_without_run(const pipeline::Pins& pins, const std::string& run) {
  std::vector<pipeline::Artifact> found;
  for (const pipeline::Artifact& artifact : pins.artifacts)
    if ((run.empty() || artifact.name.run == run) && !fs::exists(pipeline::run_folder(artifact.name.run)))
      found.push_back(artifact);
  return found;
}

/// For one run, its artifacts, including those it reused. For all runs, only the artifacts that each run made
/// itself.
std::vector<pipeline::Artifact> artifacts_wanted(Context& context, const std::vector<std::string>& words,
                                                 const pipeline::Pins& pins) {
  std::vector<pipeline::Artifact> artifacts = artifacts_without_run(pins, words.empty() ? "" : words[0]);
  if (!words.empty()) return artifacts.empty() ? artifacts_of(pipeline::read_run(words[0])) : artifacts;
  for (const std::string& name : pipeline::run_names()) try {
      const pipeline::RunState run = pipeline::read_run(name);
      if (!context.shows(run.head().target)) continue;
      for (pipeline::Artifact& artifact : artifacts_of(run))
        if (artifact.maker == name) artifacts.push_back(std::move(artifact));
    } catch (const Error& error) {  // continues with the other runs
      context.note("run " + name + ": " + error.message);
    }
  return artifacts;
}

int run_artifact_list(Context& context, const ArtifactOptions& options) {
  const pipeline::Pins pins = pins_of(pipeline::local_store());
  const std::vector<pipeline::Artifact> artifacts = artifacts_wanted(context, options.words, pins);
  if (options.output == "name") {
    for (const pipeline::Artifact& artifact : artifacts)
      context.streams().out << artifact.name.text() << "\n";
  } else if (!options.output.empty()) {
    Json items = Json::array();
    for (const pipeline::Artifact& artifact : artifacts)
      items.push_back(ui::artifact_to_json(artifact, pins.names.contains(artifact.name.text())));
    ui::print_value(context.streams(), items, options.output);
  } else if (artifacts.empty()) {
    context.note("no artifacts yet; `kml run FILE` creates artifacts");
  } else {
    ui::print_artifacts(context.streams(), artifacts, pins.names, system_clock().now());
  }
  return 0;
}

/// If the artifact is a single file, prints it to standard output.
void print_file(Context& context, const pipeline::Artifact& artifact, const fs::path& path) {
  constexpr size_t kMost = size_t{1} << 30;
  const std::string fix = "kml artifact get " + artifact.name.text() + " DEST";
  if (fs::is_directory(fs::symlink_status(path)))
    throw usage_error(artifact.name.text() + " is a folder", "it cannot be printed", fix);
  const std::string text = read_file(path, kMost);
  // checks the bytes that are printed, because the file may change meanwhile
  if (pipeline::digest_of_content(path, text) != string_at(artifact.made, {"digest"}))
    throw pipeline::changed_after_made(path);
  if (context.streams().out_is_terminal && text.find('\0') != std::string::npos)
    throw usage_error(artifact.name.text() + " is not text", "a terminal cannot show it", fix);
  context.streams().out.write(text.data(), static_cast<std::streamsize>(text.size()));
}

/// Whether the artifact is copied to a file. DEST "-" is standard output, as without DEST.
bool has_place(const ArtifactOptions& options) {
  return options.words.size() > 1 && options.words[1] != "-";
}

/// Where the copy goes: DEST or, as with cp, a new entry in that folder.
fs::path place_of_copy(const pipeline::Artifact& artifact, const fs::path& dest, bool is_folder) {
  const fs::path name = dest.filename();
  const bool is_into = name.empty() || name == "." || name == ".." || (!is_folder && fs::is_directory(dest));
  return is_into ? dest / artifact.name.output : dest;
}

int run_artifact_get(Context& context, const ArtifactOptions& options) {
  const pipeline::Artifact artifact = pipeline::find_artifact(options.words[0]);
  if (!pipeline::is_tree(artifact.kind)) {
    const std::string text = ui::parameter_text(as_written(artifact.made)) + "\n";
    if (!has_place(options)) {
      context.streams().out << text;
      return 0;
    }
    const fs::path to = place_of_copy(artifact, options.words[1], false);
    if (fs::exists(to) && !options.replaces)
      throw usage_error(to.string() + " already exists", "", "--force replaces it");
    write_named_file(to, text);
    return 0;
  }
  require_readable(artifact);
  const fs::path from = string_at(artifact.made, {"path"});
  pipeline::fetch_if_missing(artifact.made, pipeline::local_store());
  if (!has_place(options)) {
    print_file(context, artifact, from);
    return 0;
  }
  const fs::path to = place_of_copy(artifact, options.words[1], fs::is_directory(fs::symlink_status(from)));
  pipeline::copy_tree(from, string_at(artifact.made, {"digest"}), to, options.replaces);
  context.note(artifact.name.text() + " copied to " + to.string());
  return 0;
}

Command artifact_list_command() {
  auto options = std::make_shared<ArtifactOptions>();
  Command command{"list", "List artifacts"};
  command.description =
      "With RUN, kml lists only this run's artifacts, including those that the run reused from earlier runs.";
  command.takes("RUN", options->words, "list only this run's artifacts", 0, 1);
  command.examples = R"(kml artifact list
kml artifact list iris-1 -o json)";
  add_output_format(command, {"json", "yaml", "name"}, options->output, "print the artifacts, or their names")
      .details("Print the artifacts in this format, or, with \"name\", only their names.");
  command.has_target = false;
  command.run = [options](Context& context) { return run_artifact_list(context, *options); };
  return command;
}

Command artifact_get_command() {
  auto options = std::make_shared<ArtifactOptions>();
  Command command{"get", "Copy an artifact to a file or folder, or print it"};
  command.description =
      R"(kml checks the copy, or what it prints, against the artifact's digest; the copy is writable. Without DEST, or with "-", kml prints a single
file, a metric or a value to standard output. If DEST ends in "/", or a file is copied to a folder, the copy goes into that folder. Files that are only in a
bucket (`kml run --store`) are downloaded from there.)";
  command.takes("ARTIFACT [DEST]", options->words, "the artifact, RUN/STEP.OUTPUT, and where to copy it", 1,
                2);
  command.examples = R"(kml artifact get iris-1/train.model model.pickle
# A metric
kml artifact get iris-1/evaluate.accuracy)";
  command.flag("--force", options->replaces, "replace an existing DEST")
      .details("Replace an existing file or folder at DEST. By default, kml overwrites nothing.");
  command.has_target = false;
  command.run = [options](Context& context) { return run_artifact_get(context, *options); };
  return command;
}

}  // namespace

Command artifact_command() {
  Command command{"artifact", "List, copy, trace and pin artifacts, such as the outputs of pipeline steps"};
  command.description =
      R"(An artifact is a file or folder, a metric, or a value that a step of `kml run` has produced. The artifact's
name is RUN/STEP.OUTPUT. The outputs of a job (`kml submit --output`) are artifacts too, called JOB/job.OUTPUT, and so
are the files that `kml artifact put` has stored.)";
  command.examples = "kml artifact list\nkml artifact lineage iris-1/train.model";
  for (Command (*make)() : {artifact_list_command, artifact_get_command, artifact_put_command,
                            artifact_lineage_command, artifact_pin_command, artifact_unpin_command})
    command.subcommands.push_back(make());
  return command;
}

}  // namespace kml::cli
