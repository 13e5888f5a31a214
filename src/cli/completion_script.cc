#include "cli/completion_script.h"

#include <functional>

#include "kml/core/text.h"

namespace kml::cli {

namespace {

/// Visits every command that is shown, with its path below the root: "", "submit", "local up".
void each_command(const Command& command, const std::string& path,
                  const std::function<void(const Command&, const std::string& path)>& visit) {
  visit(command, path);
  for (const Command& sub : command.subcommands)
    if (!sub.hidden) each_command(sub, path.empty() ? sub.name : path + " " + sub.name, visit);
}

std::vector<std::string> shown_subcommands(const Command& command) {
  std::vector<std::string> names;
  for (const Command& sub : command.subcommands)
    if (!sub.hidden) names.push_back(sub.name);
  return names;
}

std::vector<std::string> names_of(const Option& option) {
  return split(option.names, ',');
}

std::string single_quoted(const std::string& text) {
  return shell_quoted(std::vector<std::string>{text});
}

/// One function for bash and zsh (through bashcompinit): the words before the cursor walk down the tree.
std::string bash_script(const Command& root) {
  std::string cases, choices;
  std::vector<std::string> with_value;
  each_command(root, "", [&](const Command& command, const std::string& path) {
    std::vector<std::string> words = shown_subcommands(command);
    bool takes_jobs = command.words.name == "JOB";
    std::vector<const Option*> options;
    for (const Option& option : command.options) options.push_back(&option);
    if (!path.empty())
      for (const Option& option : root.options) options.push_back(&option);
    for (const Option* option : options) {
      for (const std::string& name : names_of(*option)) {
        if (name.starts_with("--")) words.push_back(name);
        if (!option->choices.empty())
          choices += "    " + single_quoted(path + ":" + name) + ") COMPREPLY=($(compgen -W " +
                     single_quoted(join(option->choices, " ")) + " -- \"$cur\")); return;;\n";
      }
    }
    cases += "    " + single_quoted(path) + ") words=" + single_quoted(join(words, " ")) +
             (takes_jobs ? "; [[ $cur != -* ]] && words+=\" $(kml list -o name 2>/dev/null | sed 's|.*/||')\""
                         : "") +
             ";;\n";
    for (const Option& option : command.options)
      if (!option.value_name.empty())
        for (const std::string& name : names_of(option)) with_value.push_back(name);
  });
  std::string groups;
  each_command(root, "", [&](const Command& command, const std::string& path) {
    for (const std::string& sub : shown_subcommands(command))
      groups += (groups.empty() ? "" : "|") + single_quoted(path + ":" + sub);
  });
  return "# Completion of kml for bash, from its command tree.\n"
         "_kml() {\n"
         "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} path='' words='' word i\n"
         "  COMPREPLY=()\n"
         "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
         "    word=${COMP_WORDS[i]}\n"
         "    [[ $word == -- ]] && { COMPREPLY=($(compgen -f -- \"$cur\")); return; }\n"
         "    case \"$path:$word\" in " +
         groups +
         ") path=\"${path:+$path }$word\";; esac\n"
         "  done\n"
         "  case \"$path:$prev\" in\n" +
         choices +
         "  esac\n"
         "  case \"$prev\" in " +
         join(with_value, "|") +
         ") COMPREPLY=($(compgen -f -- \"$cur\")); return;; esac\n"
         "  case \"$path\" in\n" +
         cases +
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
         "}\n"
         "complete -F _kml kml\n";
}

std::string fish_script(const Command& root) {
  std::string text = "# Completion of kml for fish, from its command tree.\ncomplete -c kml -f\n";
  each_command(root, "", [&](const Command& command, const std::string& path) {
    std::string condition;
    std::vector<std::string> steps = split(path, ' ');
    if (path.empty())
      condition = "__fish_use_subcommand";
    else
      for (const std::string& step : steps)
        condition += (condition.empty() ? "" : "; and ") + std::string("__fish_seen_subcommand_from ") + step;
    std::string when = path.empty() ? "" : " -n " + single_quoted(condition);
    for (const Command& sub : command.subcommands)
      if (!sub.hidden)
        text += "complete -c kml -n " +
                single_quoted(condition + (path.empty() ? ""
                                                        : "; and not __fish_seen_subcommand_from " +
                                                              join(shown_subcommands(command), " "))) +
                " -a " + sub.name + " -d " + single_quoted(sub.summary) + "\n";
    if (command.words.name == "JOB")
      text += "complete -c kml" + when + " -a " +
              single_quoted("(kml list -o name 2>/dev/null | string replace -r '.*/' '')") + "\n";
    for (const Option& option : command.options) {
      text += "complete -c kml" + when;
      for (const std::string& name : names_of(option))
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (!option.choices.empty())
        text += " -x -a " + single_quoted(join(option.choices, " "));
      else if (!option.value_name.empty())
        text += " -r -F";
      text += " -d " + single_quoted(option.help) + "\n";
    }
  });
  return text;
}

}  // namespace

std::string completion_script(const Command& root, const std::string& shell) {
  if (shell == "fish") return fish_script(root);
  if (shell == "zsh")
    return "#compdef kml\nautoload -U +X bashcompinit && bashcompinit\n" + bash_script(root);
  return bash_script(root);
}

}  // namespace kml::cli
