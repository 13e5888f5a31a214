#include <filesystem>
#include <memory>
#include <ostream>

#include "cli/commands.h"
#include "cli/completion_script.h"
#include "cli/context.h"
#include "cli/man_page.h"
#include "kml/core/files.h"

namespace kml::cli {

namespace {

struct CompletionOptions {
  std::vector<std::string> words;
};

const std::vector<std::string> kShells = {"bash", "zsh", "fish"};

int run_completion(Context& context, const std::string& shell) {
  context.streams().out << completion_script(shell);
  return 0;
}

int run_man(const std::filesystem::path& folder) {
  GlobalOptions options;
  std::filesystem::create_directories(folder);
  for (const ManPage& page : man_pages(command_tree(options)))
    write_file_atomically(folder / page.file, page.text, 0644);
  return 0;
}

}  // namespace

Command completion_command() {
  Command group{"completion", "Print a script that completes kml's commands and flags in a shell"};
  group.examples =
      "  source <(kml completion bash)\n"
      "  kml completion zsh > \"${fpath[1]}/_kml\"\n"
      "  kml completion fish > ~/.config/fish/completions/kml.fish";
  for (const std::string& shell : kShells) {
    Command command{shell, "For " + shell};
    command.run = [shell](Context& context) { return run_completion(context, shell); };
    group.subcommands.push_back(command);
  }
  auto options = std::make_shared<CompletionOptions>();
  Command man{"man", "Write the manual pages into a folder"};
  man.hidden = true;
  man.takes("DIR", options->words, "the folder", 1, 1);
  man.run = [options](Context&) { return run_man(options->words[0]); };
  group.subcommands.push_back(man);
  return group;
}

}  // namespace kml::cli
