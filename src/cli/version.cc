#include "kml/version.h"

#include <memory>
#include <ostream>

#include "cli/commands.h"
#include "cli/context.h"
#include "kml/core/shared_library.h"
#include "kml/ui/objects.h"

namespace kml::cli {

namespace {

#if defined(__aarch64__)
constexpr const char* kPlatform = "linux/arm64";
#else
constexpr const char* kPlatform = "linux/amd64";
#endif

struct VersionOptions {
  std::string output;
};

Json version_fields() {
  Json features = Json::array({"embedded-server"});
  if (kIsStatic) features.push_back("static");
  return {{"version", kVersion}, {"commit", kCommit}, {"platform", kPlatform}, {"features", features}};
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
  command.choice("-o,--output", {"json"}, options->output, "print it as JSON, with commit and features");
  command.has_target = false;
  command.run = [options](Context& context) { return run_version(context, *options); };
  return command;
}

}  // namespace kml::cli
