#include <doctest/doctest.h>

#include <set>
#include <string>

#include "cli/command.h"
#include "cli/context.h"

using namespace kml::cli;

namespace command_tree_test {

Command tree_for(const std::vector<std::string>& arguments) {
  static GlobalOptions options;
  return command_tree(options, arguments);
}

TEST_CASE("command tree: arguments that name a command get a tree with that command only") {
  GlobalOptions options;
  for (const Command& command : command_tree(options).subcommands) {
    if (command.hidden) continue;
    CAPTURE(command.name);
    const Command root = tree_for({"-n", "research", command.name, "list"});
    REQUIRE(root.subcommands.size() == 1);
    CHECK(root.subcommands[0].name == command.name);
    CHECK(root.subcommands[0].heading == command.heading);
  }
}

/// The commands that change something on a server, or run something there.
const std::set<std::string> kChanging = {"apply",
                                         "attach",
                                         "cancel",
                                         "cp",
                                         "debug",
                                         "delete",
                                         "dev",
                                         "env gc",
                                         "env list",
                                         "env verify",
                                         "exec",
                                         "gc",
                                         "hang",
                                         "mcp",
                                         "open",
                                         "port",
                                         "rerun",
                                         "resume",
                                         "run",
                                         "run delete",
                                         "run resume",
                                         "run stop",
                                         "runs note",
                                         "runs push",
                                         "runs tag",
                                         "schedule delete",
                                         "schedule git",
                                         "schedule pause",
                                         "schedule resume",
                                         "schedule run-now",
                                         "serve",
                                         "serve rollback",
                                         "serve stop",
                                         "shell",
                                         "ssh",
                                         "submit",
                                         "suspend",
                                         "sweep delete",
                                         "sweep resume",
                                         "sweep run",
                                         "sweep stop",
                                         "sync",
                                         "ui"};

void check_reading(const Command& command, const std::string& path, std::set<std::string>& seen) {
  if (command.hidden) return;
  if (command.run && command.has_target) {
    CAPTURE(path);
    CHECK(command.only_reads != kChanging.contains(path));
    seen.insert(path);
  }
  for (const Command& each : command.subcommands)
    check_reading(each, path.empty() ? each.name : path + " " + each.name, seen);
}

TEST_CASE("command tree: each command that has a target either only reads, or is known to change something") {
  GlobalOptions options;
  std::set<std::string> seen;
  check_reading(command_tree(options), "", seen);
  for (const std::string& path : kChanging) {
    CAPTURE(path);
    CHECK(seen.contains(path));
  }
}

TEST_CASE("command tree: arguments that name no command get the whole tree") {
  GlobalOptions options;
  const size_t all = command_tree(options).subcommands.size();
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{}, {"--help"}, {"submitt"}, {"-n", "submit"}, {"--", "submit"}, {""}})
    CHECK(tree_for(arguments).subcommands.size() == all);
}

}  // namespace command_tree_test
