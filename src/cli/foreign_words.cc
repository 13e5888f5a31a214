#include "cli/foreign_words.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "cli/parse.h"
#include "kml/base/error.h"
#include "kml/base/text.h"
#include "kml/job/capacity/kind_listing.h"
#include "kml/job/submit/command_check.h"

namespace kml::cli {

namespace {

constexpr size_t kKmlLength = 4;  // of "kml "

/// Command names from other tools, and kml's command for the same purpose.
struct ForeignWords {
  std::string_view words, command;
  /// The kind of the argument after the word: a job's name, a program, a kind of object, a manifest, or
  /// unknown.
  enum class Takes { nothing, job, program, kind, file } takes = Takes::nothing;
};

constexpr ForeignWords kForeignWords[] = {
    {"ls jobs", "kml list"},
    {"get", "kml list", ForeignWords::Takes::kind},
    {"ps squeue qstat bjobs", "kml queue"},
    {"describe info inspect show", "kml status", ForeignWords::Takes::job},
    {"events explain", "kml why", ForeignWords::Takes::job},
    {"create", "kml submit -f FILE", ForeignWords::Takes::file},
    {"sbatch qsub bsub launch start train", "kml submit", ForeignWords::Takes::program},
    {"srun", "kml submit --follow", ForeignWords::Takes::program},
    {"resubmit requeue restart retry", "kml rerun", ForeignWords::Takes::job},
    {"rm", "kml delete", ForeignWords::Takes::job},
    {"kill scancel qdel bkill", "kml cancel", ForeignWords::Takes::job},
    {"hold pause qhold bstop", "kml suspend", ForeignWords::Takes::job},
    {"release unpause qrls bresume", "kml resume", ForeignWords::Takes::job},
    {"log bpeek", "kml logs", ForeignWords::Takes::job},
    {"tail", "kml logs -f", ForeignWords::Takes::job},
    {"salloc", "kml dev"},
    {"port-forward", "kml port", ForeignWords::Takes::job},
    {"tensorboard", "kml open", ForeignWords::Takes::job},
    {"scp download upload", "kml cp"},
    {"rsync", "kml sync"},
    {"sacct", "kml history"},
    {"seff", "kml eff", ForeignWords::Takes::job},
    {"sreport sshare cost", "kml usage"},
    {"sinfo nodes gpus nvidia-smi", "kml top nodes"},
    {"sstat", "kml top jobs"},
    {"experiments metrics", "kml runs"},
    {"tune hpo optimize", "kml sweep run"},
    {"pipeline pipelines", "kml run"},
    {"deploy", "kml serve"},
    {"cron crontab", "kml schedule"},
    {"watch", "kml ui"},
    {"dashboard web", "kml ui --web"},
    {"init", "kml config init"},
    {"up", "kml local up"},
    {"down", "kml local down"},
};

/// Words for a command that a group may have. The first row whose command the group has is used.
struct Synonyms {
  std::string_view command, words;
};

constexpr Synonyms kSynonymsInGroups[] = {
    {"stop", "cancel kill abort end terminate"},
    {"down", "stop shutdown kill"},
    {"pause", "stop cancel suspend disable hold"},
    {"delete", "rm remove del destroy"},
    {"list", "ls ps all"},
    {"status", "get describe show info"},
    {"show", "get describe cat view info"},
    {"view", "get describe cat show list ls"},
    {"resume", "continue unpause enable retry"},
    // kml's own commands with these names are for jobs.
    {"stop", "delete rm remove del destroy"},
    {"revisions", "history versions"},
    {"lineage", "history"},
    {"status", "history timeline wait"},
    {"list", "status history timeline wait get describe show info"},
    {"logs", "log tail"},
    {"run", "start create new submit launch"},
    {"run-now", "run start trigger rerun"},
    {"up", "start launch"},
};

/// Commands about a running job that users also expect below `kml dev`.
constexpr std::string_view kCommandsForSessions = "attach debug exec open resume shell ssh suspend why";

/// Words that `kml dev` would take for the name of a session, and what to type instead.
constexpr Synonyms kWordsOfSessions[] = {
    {"kml cancel", "stop cancel kill end terminate"},
    {"kml delete", "delete rm remove"},
    {"kml dev --list", "list ls ps"},
    {"kml status", "status describe show"},
    {"kml logs", "logs"},
};

bool includes_word(std::string_view words, std::string_view word) {
  const std::vector<std::string> all = split(words, ' ');
  return std::find(all.begin(), all.end(), word) != all.end();
}

bool has_flag_in(const std::vector<std::string>& words) {
  return std::any_of(words.begin(), words.end(),
                     [](const std::string& word) { return word.starts_with("-"); });
}

/// The command to type instead of another tool's command.
std::string command_instead(const ForeignWords& foreign, const std::vector<std::string>& rest) {
  std::string command(foreign.command);
  switch (foreign.takes) {
    case ForeignWords::Takes::nothing: return command;
    case ForeignWords::Takes::file:  // "create -f job.yaml"
      return rest.size() < 2 ? command : "kml submit " + shell_quoted(rest);
    case ForeignWords::Takes::kind:  // "get nodes"
      return rest.empty() || !job::find_listed_kind(rest[0]) ? command : command + " " + rest[0];
    case ForeignWords::Takes::job:  // "describe job bert"
      return command + " " + (rest.empty() || has_flag_in(rest) ? "JOB" : shell_quoted({&rest.back(), 1}));
    case ForeignWords::Takes::program:
      if (rest.empty() || has_flag_in(rest)) return command + " -- CMD…";
      return command + " " + job::runnable(rest, std::filesystem::current_path()).flags_and_line();
  }
  return command;
}

/// The command with the rest of the typed line or, if kml could not parse that, with the names of the
/// command's arguments.
std::string with_rest(const Command& root, const Command& command, const std::string& line,
                      const std::vector<std::string>& rest) {
  std::vector<std::string> words = split(line, ' ');
  words.insert(words.end(), rest.begin(), rest.end());
  if (can_be_parsed(root, {words.begin() + 1, words.end()})) return shell_quoted(words);
  return line + (command.words.name.empty() ? "" : " " + command.words.name);
}

[[noreturn]] void refuse_word(const std::string& whole, const std::string& command, const std::string& fix) {
  throw usage_error("unknown command \"" + whole + "\"", "the kml command for this is `" + command + "`",
                    fix);
}

}  // namespace

const Command* shown_command(const Command& group, std::string_view name) {
  for (const Command& command : group.subcommands)
    if (!command.hidden && command.name == name) return &command;
  return nullptr;
}

const Command* meant_in(const Command& group, std::string_view word) {
  for (const Synonyms& synonyms : kSynonymsInGroups)
    if (const Command* command = shown_command(group, synonyms.command);
        command && includes_word(synonyms.words, word))
      return command;
  return nullptr;
}

std::string submit_of(const std::vector<std::string>& words) {
  return command_instead({"", "kml submit", ForeignWords::Takes::program}, words);
}

void refuse_foreign_word(const Command& root, const Command& group, const std::string& path,
                         const std::string& word, const std::vector<std::string>& rest) {
  if (path == "kml") {
    for (const ForeignWords& foreign : kForeignWords)
      if (includes_word(foreign.words, word))
        refuse_word(word, std::string(foreign.command), command_instead(foreign, rest));
    return;
  }
  if (word == "compare" && (path == "kml sweep" || path == "kml run"))
    refuse_word(path.substr(kKmlLength) + " compare", "kml runs compare",
                "kml runs compare " + (rest.size() < 2 ? "RUN RUN" : shell_quoted(rest)));
  if (word == "scale" && path == "kml serve")
    refuse_word("serve scale", "kml serve NAME --replicas N",
                "kml serve " +
                    (rest.size() == 2 ? shell_quoted({rest.data(), 1}) + " --replicas " +
                                            shell_quoted({rest.data() + 1, 1})
                                      : "NAME --replicas N") +
                    " -- COMMAND...");
  if (const Command* meant = meant_in(group, word)) {
    std::vector<std::string> others = rest;
    if (const Command* named = rest.empty() ? nullptr : shown_command(group, rest[0])) {
      meant = named;  // "pause" in `kml schedule run pause nightly`
      others.erase(others.begin());
    }
    const std::string line = path + " " + meant->name;
    refuse_word(path.substr(kKmlLength) + " " + word, line, with_rest(root, *meant, line, others));
  }
}

namespace {

std::string with_name_of_session(const std::string& fix, const std::string& word) {
  return fix + "; for a session with this name: kml dev --name " + word;
}

}  // namespace

void refuse_words_of_session(const std::string& path, const std::vector<std::string>& words) {
  if (path != "kml dev" || words.empty()) return;
  if (words.size() == 1 && includes_word(kCommandsForSessions, words[0])) {
    const std::string command = "kml " + words[0];
    refuse_word("dev " + words[0], command, with_name_of_session(command + " JOB", words[0]));
  }
  if (words.size() == 2 && includes_word("connect create enter new start", words[0]))
    refuse_word("dev " + words[0], "kml dev NAME", "kml dev " + shell_quoted({&words[1], 1}));
  for (const Synonyms& synonyms : kWordsOfSessions) {
    if (!includes_word(synonyms.words, words[0])) continue;
    const std::string command(synonyms.command);
    const bool takes_names = command.find("--") == std::string::npos;
    const std::vector<std::string> names(words.begin() + 1, words.end());
    const std::string fix =
        command + (!takes_names ? "" : " " + (names.empty() ? "JOB" : shell_quoted(names)));
    refuse_word("dev " + words[0], command, names.empty() ? with_name_of_session(fix, words[0]) : fix);
  }
}

}  // namespace kml::cli
