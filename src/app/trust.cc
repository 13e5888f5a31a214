#include <filesystem>
#include <memory>
#include <ostream>

#include "cli/commands.h"
#include "cli/context.h"
#include "cli/output_format.h"
#include "job/packages/requested.h"
#include "kml/base/files.h"
#include "kml/base/flag_errors.h"
#include "kml/job/spec/trust.h"
#include "kml/ui/objects.h"
#include "kml/ui/table.h"

namespace fs = std::filesystem;

namespace kml::cli {

namespace {

struct TrustOptions {
  std::vector<std::string> words;
  bool list = false;
  bool revoke = false;
  std::string output;
};

/// The part of the file to which trust applies.
std::string text_to_trust(const fs::path& file) {
  return packages::trusted_text(file, read_own_file(file));
}

/// The named file, or kml.yaml in the named folder. Without a name, the kml.yaml in use.
fs::path trusted_file(const TrustOptions& options) {
  if (!options.words.empty()) {
    const fs::path named(options.words[0]);
    return fs::is_directory(named) ? named / spec::kProjectFile : named;
  }
  if (auto file = find_upwards(fs::current_path(), spec::kProjectFile)) return *file;
  throw usage_error("no kml.yaml in this folder or above it", "", "name one: kml trust FILE");
}

std::string state_of(const std::string& file) {
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return "gone";
  using State = spec::TrustRecords::State;
  try {
    return spec::trust_records().state_of(file, text_to_trust(file)) == State::trusted ? "trusted"
                                                                                       : "changed";
  } catch (const Error&) {
    return "unreadable";
  }
}

int list_trusted(Context& context, const std::string& output) {
  Json files = Json::array();
  for (const std::string& file : spec::trust_records().files())
    files.push_back({{"file", file}, {"state", state_of(file)}});
  if (!output.empty()) {
    ui::print_value(context.streams(), files, output);
    return 0;
  }
  ui::Table table({"FILE", "STATE"});
  for (const Json& one : files) table.add({{string_at(one, {"file"})}, {string_at(one, {"state"})}});
  table.print(context.streams());
  return 0;
}

int run_trust(Context& context, const TrustOptions& options) {
  if (options.list && (options.revoke || !options.words.empty()))
    throw not_together("--list", "a file or another flag");
  if (!options.output.empty() && !options.list) throw usage_error("-o needs --list");
  if (options.list) return list_trusted(context, options.output);
  const fs::path file = trusted_file(options);
  if (options.revoke)
    spec::trust_records().revoke(file);
  else
    spec::trust_records().trust(file, text_to_trust(file));
  context.streams().out << file.string() << (options.revoke ? " is no longer trusted" : " trusted") << "\n";
  return 0;
}

}  // namespace

Command trust_command() {
  auto options = std::make_shared<TrustOptions>();
  Command command{
      "trust",
      "Trust a kml.yaml, a sweep file or a pipeline file, so that it may use secrets and other files"};
  command.description =
      R"(Read the file before you trust it. kml trusts the file only at this path, and only until its text, or the text
of a template that it uses, changes. Without FILE, kml trusts the kml.yaml in this folder or above.

Without trust, a kml.yaml can set a job's resources and placement, its image, queue and priority, its retries and
time limits, volume claims, images and ConfigMaps to mount, folders below the kml.yaml, the Python packages that files
below the kml.yaml ask for, `record` for `kml run`, labels and annotations without a domain, built-in templates and
yours, parameters of built-in templates, and variables that only tune a program, such as OMP_NUM_THREADS. Most
other settings need trust, such as secrets, service accounts, other variables, labels and annotations, data to fetch, other
templates, parameters of templates that you wrote, files outside the folder of the kml.yaml, and (except for commands
that only read) another context or namespace. In a pipeline file, secrets, accounts and the like need trust, but the
steps may set any variable, because they also contain the command. The file of `kml sweep run -f` needs trust if its
trials use secrets, a service account or folders on the host. A manifest for `kml submit -f` needs no trust, because it
cannot use your files or variables. Before kml sends the manifest, it prints the cluster objects that the manifest uses.

A requirements file, a pyproject.toml, the header of a script or an environment.yml needs trust for --uv,
--requirements and --conda if it names an index, a URL or a path, because uv or py-rattler would use them on this
machine. For a script, kml trusts only the header, so you
can change the rest of the script.)";
  command.examples = R"(# The kml.yaml in this folder or above
kml trust
kml trust --list
kml trust --revoke ../bert)";
  command.takes("FILE", options->words,
                "a kml.yaml or its folder, a sweep, a pipeline, or a file that requests packages", 0, 1);
  command.flag("--list", options->list, "list the trusted files, and whether they have changed since")
      .details("List the trusted files, and whether they have changed since.");
  add_output_format(command, {"json", "yaml"}, options->output, "with --list: print the files as data")
      .details("With --list, print the files in this format.");
  command.flag("--revoke", options->revoke, "stop trusting the file").details("Stop trusting the file.");
  command.has_target = false;
  command.run = [options](Context& context) { return run_trust(context, *options); };
  return command;
}

}  // namespace kml::cli
