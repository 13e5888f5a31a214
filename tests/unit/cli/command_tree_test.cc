#include <doctest/doctest.h>

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

TEST_CASE("command tree: arguments that name no command get the whole tree") {
  GlobalOptions options;
  const size_t all = command_tree(options).subcommands.size();
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{}, {"--help"}, {"submitt"}, {"-n", "submit"}, {"--", "submit"}, {""}})
    CHECK(tree_for(arguments).subcommands.size() == all);
}

}  // namespace command_tree_test
