#include "kml/version.h"

#include <memory>
#include <ostream>
#include <string>
#include <string_view>

#include "cli/commands.h"
#include "cli/context.h"
#include "kml/base/shared_library.h"
#include "kml/ui/objects.h"

namespace kml::cli {

namespace {

#ifdef __APPLE__
constexpr std::string_view kSystem = "darwin";
#else
constexpr std::string_view kSystem = "linux";
#endif
#ifdef __aarch64__
constexpr std::string_view kProcessor = "arm64";
#else
constexpr std::string_view kProcessor = "amd64";
#endif

struct VersionOptions {
  std::string output;
};

Json version_fields() {
  Json features = Json::array();
  if (kHasEmbeddedServer) features.push_back("embedded-server");
  if (kIsStatic) features.push_back("static");
  return {{"version", kVersion},
          {"commit", kCommit},
          {"platform", std::string(kSystem) + "/" + std::string(kProcessor)},
          {"features", features}};
}

int run_version(Context& context, const VersionOptions& options) {
  if (options.output == "json")
    ui::print_value(context.streams(), version_fields(), "json");
  else
    context.streams().out << "kml " << kVersion << "\n";
  return 0;
}

}  // namespace

Command version_command() {
  auto options = std::make_shared<VersionOptions>();
  Command command{"version", "Show the version of kml"};
  command.examples = R"(kml version
kml version -o json)";
  command
      .choice("-o,--output", {"json"}, options->output, "print the version as JSON, with commit and features")
      .details("Print the version as JSON, with a release's commit, the platform, and the features.");
  command.has_target = false;
  command.run = [options](Context& context) { return run_version(context, *options); };
  return command;
}

}  // namespace kml::cli
