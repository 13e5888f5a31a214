#include "cli/completion_script.h"

#include <algorithm>
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

/// A pipeline that lists the values of a word or option, for those that are known; `kml` runs the program.
std::string lister_of(const std::string& word, const std::string& kml) {
  if (word == "JOB") return kml + " list -o name 2>/dev/null | sed 's|.*/||'";
  if (word.starts_with("SWEEP") || word == "--sweep" || word == "--warm-start")
    return kml + " sweep list -o name 2>/dev/null";
  if (word == "RUN") return kml + " history 2>/dev/null | sed '1d; s/ .*//'";
  if (word == "TEMPLATE" || word == "--template")
    return kml + " template list 2>/dev/null | sed '1d; s/ .*//'";
  if (word == "--context") return kml + " config contexts 2>/dev/null | cut -c3-";
  return {};
}

/// `case` pattern of what stands before a value: "--output" or, where bash has split at it, "--output=".
std::string before_value(const Option& option, const std::string& prefix) {
  std::string pattern;
  for (const std::string& name : names_of(option))
    for (const char* equals : {"", "="})
      if (option.implied.empty() || *equals == '=')
        pattern += (pattern.empty() ? "" : "|") + single_quoted(prefix + name + equals);
  return pattern;
}

/// One function for bash and zsh (through bashcompinit): the words before the cursor walk down the tree. Its
/// variables are not called `path` or `words`, which are zsh's own.
std::string bash_script(const Command& root) {
  const std::string kml = "kml \"${where[@]}\"";
  std::string cases, groups;
  std::vector<std::string> choices, values;  // what completes an option's value: of one command, of any
  const auto add_once = [](std::vector<std::string>& lines, const std::string& line) {
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
  };
  each_command(root, "", [&](const Command& command, const std::string& path) {
    std::vector<std::string> words = shown_subcommands(command);
    for (const std::string& sub : words)
      groups += (groups.empty() ? "" : "|") + single_quoted(path + ":" + sub);
    std::vector<const Option*> options;
    for (const Option& option : command.options) options.push_back(&option);
    if (!path.empty())
      for (const Option& option : root.options) options.push_back(&option);
    for (const Option* option : options) {
      words.push_back(option->long_name());
      std::string lister = lister_of(option->long_name(), kml);
      if (!option->choices.empty())
        choices.push_back("    " + before_value(*option, path + ":") + ") COMPREPLY=($(compgen -W " +
                          single_quoted(join(option->choices, " ")) + " -- \"$cur\")); return;;\n");
      else if (!option->value_name.empty())
        add_once(values, "    " + before_value(*option, "") + ") COMPREPLY=($(compgen -f " +
                             (lister.empty() ? "" : "-W \"$(" + lister + ")\" ") +
                             "-- \"$cur\")); return;;\n");
    }
    std::string lister = lister_of(command.words.name, kml);
    cases += "    " + single_quoted(path) + ") offers=" + single_quoted(join(words, " ")) +
             (lister.empty() ? "" : "; [[ $cur != -* ]] && offers+=\" $(" + lister + ")\"") + ";;\n";
  });
  return "# Completion of kml for bash, from its command tree.\n"
         "_kml() {\n"
         "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} at='' offers='' word i\n"
         "  local where=()\n"
         "  COMPREPLY=()\n"
         "  # bash splits --flag=value at =\n"
         "  if [[ $cur == = ]]; then cur='' prev+==\n"
         "  elif [[ $prev == = ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}=; fi\n"
         "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
         "    word=${COMP_WORDS[i]}\n"
         "    case \"$word\" in\n"
         "      --) COMPREPLY=($(compgen -f -- \"$cur\")); return;;\n"
         "      -n|--namespace|--context|--kubeconfig)\n"
         "        [[ ${COMP_WORDS[i+1]} == = ]] && ((i++))\n"
         "        ((++i < COMP_CWORD)) && where+=(\"$word\" \"${COMP_WORDS[i]}\"); continue;;\n"
         "    esac\n"
         "    case \"$at:$word\" in " +
         groups +
         ") at=\"${at:+$at }$word\";; esac\n"
         "  done\n"
         "  case \"$at:$prev\" in\n" +
         join(choices, "") +
         "  esac\n"
         "  case \"$prev\" in\n" +
         join(values, "") +
         "  esac\n"
         "  case \"$at\" in\n" +
         cases +
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"$offers\" -- \"$cur\"))\n"
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
    if (std::string lister = lister_of(command.words.name, "kml"); !lister.empty())
      text += "complete -c kml" + when + " -a " + single_quoted("(" + lister + ")") + "\n";
    for (const Option& option : command.options) {
      text += "complete -c kml" + when;
      for (const std::string& name : names_of(option))
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (!option.choices.empty())
        text += " -x -a " + single_quoted(join(option.choices, " "));
      else if (std::string lister = lister_of(option.long_name(), "kml"); !lister.empty())
        text += " -r -a " + single_quoted("(" + lister + ")");
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
