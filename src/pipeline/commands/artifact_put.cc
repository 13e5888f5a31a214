#include <algorithm>
#include <filesystem>
#include <memory>
#include <ostream>

#include "cli/commands.h"
#include "cli/context.h"
#include "kml/base/missing_path.h"
#include "kml/base/text.h"
#include "kml/kube/objects/names.h"
#include "kml/pipeline/engine/artifacts.h"
#include "kml/pipeline/engine/runs.h"
#include "kml/pipeline/store/store.h"
#include "pipeline/store/copy_tree.h"
#include "sweep/commands/sweep_session.h"

namespace kml::cli {

namespace {

namespace fs = std::filesystem;

struct PutOptions {
  std::vector<std::string> words;
};

/// The records of a run for `kml artifact put`: a pipeline with a single step that is already done.
std::vector<pipeline::Record> records_of_put(const std::string& name, const fs::path& source,
                                             const Json& made) {
  const std::string step(pipeline::ArtifactName::kPutStep);
  const Time time = system_clock().now();
  const std::string text = "apiVersion: kml.dev/v1\nkind: Pipeline\nmetadata: {name: \"" + name +
                           "\"}\nspec:\n  steps:\n    " + step +
                           ":\n      command: [kml, artifact, put]\n      outputs: {\"" + name +
                           "\": " + string_at(made, {"kind"}) + "}\n";
  using Ended = pipeline::record::Ended;
  return {{time,
           pipeline::record::Run{
               .name = name, .id = random_hex(8), .file = source, .pipeline = name, .text = text}},
          {time, Ended{.step = step, .how = Ended::How::done, .outputs = Json{{name, made}}}},
          {time, pipeline::record::End{pipeline::Outcome::succeeded}}};
}

/// Stores the source, which has this digest, and records it as an artifact.
pipeline::Tree put(const std::string& name, const fs::path& source, const std::string& digest,
                   pipeline::Journal& journal) {
  const pipeline::LocalStore store = pipeline::local_store();
  const fs::path place = store.output_path(name, std::string(pipeline::ArtifactName::kPutStep), 0, name);
  store.prepare(place);
  pipeline::copy_tree(source, digest, place, false);
  pipeline::Tree tree = store.keep(place);
  const Json made = {{"kind", fs::is_directory(source) ? "folder" : "file"},
                     {"path", place},
                     {"digest", tree.digest},
                     {"bytes", tree.bytes},
                     {"files", tree.files}};
  for (const pipeline::Record& record : records_of_put(name, source, made)) journal.add(record);
  journal.commit();
  return tree;
}

int run_artifact_put(Context& context, const PutOptions& options) {
  const std::string& word = options.words[0];
  const size_t equals = word.find('=');
  if (equals == std::string::npos || equals + 1 == word.size())
    throw usage_error("\"" + word + "\" is not NAME=PATH", "", "kml artifact put words=data/words.txt");
  const std::string name = word.substr(0, equals), path = word.substr(equals + 1);
  std::string problem = api::dns_label_problem(name);
  if (problem.empty() && is_digit(name[0]))
    problem = "must start with a letter";  // the name is used as an output's name, too
  if (!problem.empty())
    throw usage_error("an artifact cannot be called \"" + name + "\"", "the name " + problem);
  if (pipeline::has_run(name))
    throw usage_error("the name " + name + " is taken", "an artifact or a run already has this name",
                      "choose another name, or remove the run: kml run delete " + name);
  if (const auto fault = fault_of_path(path))
    throw usage_error("cannot read " + path, fault->why, fault->fix);
  const fs::path source = fs::canonical(path);
  // throws Error for a source that cannot be stored
  const std::string digest = pipeline::manifest_of(source).tree.digest;
  pipeline::Journal journal = pipeline::open_run(name, owner());
  try {
    const pipeline::Tree tree = put(name, source, digest, journal);
    context.streams().out << name << "  " << size_text(tree.bytes) << "  " << tree.digest.substr(0, 12)
                          << "\n";
    return 0;
  } catch (...) {
    fs::remove_all(pipeline::run_folder(name));  // a run without records would look damaged
    throw;
  }
}

}  // namespace

Command artifact_put_command() {
  auto options = std::make_shared<PutOptions>();
  Command command{"put", "Store a file or folder as an artifact, for pipelines to read"};
  command.description =
      R"(A step reads the artifact with the input {artifact: NAME}, and runs again only if the content has changed.
The artifact is a copy, so later changes to the file do not affect the artifact. `kml run delete NAME` removes the
artifact.)";
  command.takes("NAME=PATH", options->words, "the artifact's name, and the file or folder", 1, 1);
  command.examples = R"(kml artifact put words=words.txt
# Print it
kml artifact get words)";
  command.has_target = false;
  command.run = [options](Context& context) { return run_artifact_put(context, *options); };
  return command;
}

}  // namespace kml::cli
