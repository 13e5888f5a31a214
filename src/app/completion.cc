#include <filesystem>
#include <memory>
#include <ostream>
#include <string>

#include "cli/commands.h"
#include "cli/context.h"
#include "cli/examples.h"
#include "cli/man_page.h"
#include "kml/base/files.h"

namespace kml::cli {

namespace {

// All three scripts call `kml __complete` and treat its output as text. They avoid eval and compgen -W, which
// would execute a "$(...)" in a name. The inserted text is quoted.

// bash splits words at = and : (COMP_WORDBREAKS), so the script joins pieces that no space separates, and
// shortens each candidate to the part after the last split. If kml answers "command N", the words after "--"
// are another program's command line, with N words before the cursor. bash-completion then completes them,
// because it has completions for other programs. Without bash-completion, the script completes the program's
// name and files.
constexpr const char* kBash = R"(# Completion of kml for bash.
_kml_program() {
  if declare -F _comp_command_offset >/dev/null; then _comp_command_offset "$1"
  elif declare -F _command_offset >/dev/null; then _command_offset "$1"
  elif (($1 == COMP_CWORD)); then mapfile -t COMPREPLY < <(compgen -c -- "$2")
  else compopt -o default; fi
}
_kml() {
  local IFS=$' \t\n' rest=$COMP_LINE words=() starts=() last=-1 i piece head lines line value
  for ((i = 0; i <= COMP_CWORD; i++)); do
    piece=${COMP_WORDS[i]}
    head=${rest%%[![:space:]]*}
    rest=${rest#"$head"}
    rest=${rest#"$piece"}
    piece=${piece//[\\\'\"]/}
    if [[ -z $head && i -gt 0 ]]; then words[last]+=$piece
    else words[++last]=$piece starts[last]=$i; fi
  done
  [[ $piece == [=:] ]] && piece=
  local typed=${words[last]} before
  before=${typed%"$piece"}
  mapfile -t lines < <(kml __complete -- "${words[@]:1}" 2>/dev/null)
  COMPREPLY=()
  case ${lines[0]-} in
    files) compopt -o default; return;;
    parts) compopt -o nospace;;
    command\ [0-9]|command\ [0-9][0-9]) _kml_program "${starts[last - ${lines[0]#command }]}" "$typed"; return;;
  esac
  for line in "${lines[@]:1}"; do
    value=${line%%$'\t'*}
    printf -v value %q "${value#"$before"}"
    COMPREPLY+=("$value")
  done
}

complete -F _kml kml
)";

constexpr const char* kZsh = R"(#compdef kml
# Completion of kml for zsh.
_kml() {
  local -a lines values shown space
  local line
  lines=("${(@f)$(kml __complete -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
  case $lines[1] in
    files) [[ $PREFIX == --*=* ]] && compset -P '*='; _files; return;;
    parts) space=(-S '');;
    command\ <0-99>)
      local -i past=${lines[1]#command }
      shift $((CURRENT - past - 1)) words
      ((CURRENT = past + 1))
      _normal
      return;;
  esac
  for line in "${(@)lines[2,-1]}"; do
    values+=("${line%%$'\t'*}")
    [[ $line == *$'\t' ]] && shown+=("${line%$'\t'}") || shown+=("${line/$'\t'/  -- }")
  done
  compadd $space -l -d shown -a values
}

if [[ $funcstack[1] == _kml ]]; then _kml "$@"; else compdef _kml kml; fi
)";

constexpr const char* kFish = R"(# Completion of kml for fish.
function __kml_complete
  set -l words (commandline -opc)
  set -e words[1]
  set -l current (commandline -ct)
  set -l lines (kml __complete -- $words "$current" 2>/dev/null)
  switch "$lines[1]"
    case files
      __fish_complete_path (string replace -r '^--[^=]*=' '' -- "$current")
    case 'command *'
      set -l past (string match -r '[0-9]+$' -- $lines[1])
      set -l program
      set -l first (math (count $words) - $past + 1)
      test $past -gt 0; and set program (string escape -- $words[$first..-1])
      complete -C (string join ' ' -- $program "$current")
    case '*'
      set -e lines[1]
      printf '%s\n' $lines
  end
end
complete -c kml -f -a '(__kml_complete)'
)";

/// The completion script for "bash", "zsh" or "fish". It gets its candidates from `kml __complete`.
std::string completion_script(const std::string& shell) {
  return shell == "fish" ? kFish : shell == "zsh" ? kZsh : kBash;
}

struct CompletionOptions {
  std::vector<std::string> words;
};

const std::vector<std::string> kShells = {"bash", "zsh", "fish"};

int run_completion(Context& context, const std::string& shell) {
  context.streams().out << completion_script(shell);
  return 0;
}

/// The commands that usually install a completion in that shell.
std::string example_of(const std::string& shell) {
  if (shell == "bash") return "# In ~/.bashrc\nsource <(kml completion bash)";
  if (shell == "zsh") return "# Into a folder of fpath\nkml completion zsh > \"${fpath[1]}/_kml\"";
  return "kml completion fish > ~/.config/fish/completions/kml.fish";
}

/// Prints each example in help and manual, preceded by its command and a tab. A test runs all of them.
void print_examples(const Command& command, const std::string& path, std::ostream& out) {
  if (command.hidden) return;
  for (const Example& example : examples_of(command)) out << path << '\t' << example.line << '\n';
  for (const Command& sub : command.subcommands) print_examples(sub, path + " " + sub.name, out);
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
  Command group{"completion", "Print the completion script for a shell"};
  group.examples = R"(# In ~/.bashrc
source <(kml completion bash)
# A folder in zsh's fpath, and fish's completion folder
kml completion zsh > "${fpath[1]}/_kml"
kml completion fish > ~/.config/fish/completions/kml.fish)";
  for (const std::string& shell : kShells) {
    Command command{shell, "Print the completion script for " + shell};
    command.has_target = false;
    command.examples = example_of(shell);
    command.run = [shell](Context& context) { return run_completion(context, shell); };
    group.subcommands.push_back(command);
  }
  auto options = std::make_shared<CompletionOptions>();
  Command man{"man", "Write the manual pages into a folder"};
  man.hidden = true;
  man.takes("DIR", options->words, "the folder", 1, 1);
  man.run = [options](Context&) { return run_man(options->words[0]); };
  group.subcommands.push_back(man);
  Command examples{"examples", "Print the examples of all commands"};
  examples.hidden = true;
  examples.run = [](Context& context) {
    GlobalOptions ignored;
    print_examples(command_tree(ignored), "kml", context.streams().out);
    return 0;
  };
  group.subcommands.push_back(examples);
  return group;
}

}  // namespace kml::cli
