#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "cli/command.h"
#include "cli/context.h"
#include "cli/parse.h"
#include "kml/base/error.h"
#include "kml/base/text.h"

namespace fixes_parse_test {

using namespace kml;
using namespace kml::cli;

namespace {

using Words = std::vector<std::string>;

/// Splits a line as a shell does, as far as shell_quoted() quotes words.
Words shell_words(const std::string& line) {
  Words words;
  bool in_quotes = false, is_begun = false;
  for (const char c : line) {
    if (c == '\'') {
      in_quotes = !in_quotes;
    } else if (c == ' ' && !in_quotes) {
      is_begun = false;
      continue;
    }
    if (!is_begun) words.emplace_back();
    is_begun = true;
    if (c != '\'') words.back() += c;
  }
  return words;
}

/// A usage line without its optional parts ("[flags]"), and with values in place of placeholders.
std::string filled_in(std::string line) {
  for (size_t begin = line.find('['); begin != line.npos; begin = line.find('['))
    line.erase(begin, std::min(line.find(']', begin), line.size() - 1) + 1 - begin);
  for (const auto& [placeholder, value] :
       {std::pair("RUN...", "RUN RUN"), {"IMAGE=PROGRAM", "a=b"}, {" FILE", " file.yaml"}})
    if (const size_t at = line.find(placeholder); at != line.npos)
      line.replace(at, std::string(placeholder).size(), value);
  return line;
}

/// The commands of kml in a fix, which stand in backquotes, at its start, or after a semicolon or a colon.
std::vector<Words> commands_in(const std::string& fix) {
  std::vector<Words> commands;
  const std::vector<std::string> parts = split(fix, '`');
  for (size_t i = 0; i < parts.size(); ++i) {
    for (std::string line : i % 2 == 1 ? Words{parts[i]} : split(parts[i], ';')) {
      if (const size_t colon = line.find(": kml "); i % 2 == 0 && colon != std::string::npos)
        line.erase(0, colon + 2);
      Words words = shell_words(filled_in(line));
      if (words.empty() || words[0] != "kml") continue;
      words.erase(words.begin());
      commands.push_back(words);
    }
  }
  return commands;
}

/// Parses the arguments with a tree of their own, because a tree keeps the values of one command line.
std::optional<Error> error_of(const Words& arguments) {
  GlobalOptions options;
  const Command root = command_tree(options, arguments);
  try {
    parse(root, arguments);
    return {};
  } catch (const Error& error) {
    return error;
  }
}

/// The paths of all commands that are not hidden, without "kml".
void collect_paths(const Command& command, const Words& path, std::vector<Words>& paths) {
  if (!path.empty()) paths.push_back(path);
  for (const Command& each : command.subcommands) {
    if (each.hidden) continue;
    Words below = path;
    below.push_back(each.name);
    collect_paths(each, below, paths);
  }
}

std::vector<Words> all_paths() {
  GlobalOptions options;
  std::vector<Words> paths;
  collect_paths(command_tree(options), {}, paths);
  return paths;
}

/// Command lines that are wrong, or may be, for each command: words of other tools in place of a subcommand,
/// too few and too many arguments, and misspelled or misplaced flags.
std::vector<Words> wrong_lines() {
  const std::vector<Words> ends = {{},
                                   {"x", "y", "z", "w"},
                                   {"cancel", "bert"},
                                   {"kill", "bert"},
                                   {"stop", "bert"},
                                   {"stop"},
                                   {"rm", "bert"},
                                   {"rm", "-f", "bert"},
                                   {"ls"},
                                   {"ls", "-o", "json"},
                                   {"get", "bert"},
                                   {"describe", "a b"},
                                   {"start", "bert"},
                                   {"create"},
                                   {"continue", "bert"},
                                   {"suspend", "bert"},
                                   {"tail", "-f", "bert"},
                                   {"x", "--nmae", "y"},
                                   {"--nsuch=1"},
                                   {"-o", "json", "list"},
                                   {"--gpus", "1", "python"},
                                   {"python", "train.py"},
                                   {"train.py", "--lr", "1"},
                                   {"bert", "--", "python", "train.py"},
                                   {"-output", "json"},
                                   {""},
                                   {"--name", "a", "b", "c"},
                                   {"--name", "a", "b", "--", "true"},
                                   {"--gpus", "1", "2", "--", "true"},
                                   {"scale", "bert", "3"}};
  std::vector<Words> lines = {{"stopp"},
                              {"ls"},
                              {"kill", "bert"},
                              {"describe", "pod", "x y"},
                              {"sbatch", "a b.sh"},
                              {"get", "nodes"},
                              {"create", "-f", "x"},
                              {"--gpus", "1"}};
  for (const Words& path : all_paths())
    for (const Words& end : ends) {
      lines.push_back(path);
      lines.back().insert(lines.back().end(), end.begin(), end.end());
    }
  return lines;
}

}  // namespace

TEST_CASE("parse: each command of kml in a fix can be parsed") {
  size_t commands = 0;
  for (const Words& line : wrong_lines()) {
    const std::optional<Error> error = error_of(line);
    if (!error) continue;
    CAPTURE(shell_quoted(line));
    CAPTURE(error->message);
    CAPTURE(error->fix);
    for (Words fixed : commands_in(error->fix)) {
      ++commands;
      CAPTURE(shell_quoted(fixed));
      const std::optional<Error> again = error_of(fixed);
      CHECK_MESSAGE(!again, again->message);
    }
  }
  CHECK(commands > 1000);
}

TEST_CASE("parse: for a command's name from another tool or group, the error suggests kml's command") {
  struct Row {
    Words line;
    std::string fix;
  };
  for (const Row& row : std::vector<Row>{
           {{"run", "cancel", "iris-1"}, "kml run stop iris-1"},
           {{"run", "kill", "iris-1"}, "kml run stop iris-1"},
           {{"run", "rm", "iris-1"}, "kml run delete iris-1"},
           {{"run", "ls"}, "kml run list"},
           {{"run", "describe", "iris-1"}, "kml run status iris-1"},
           {{"sweep", "cancel", "lr"}, "kml sweep stop lr"},
           {{"sweep", "cancel"}, "kml sweep stop SWEEP"},
           {{"sweep", "rm", "lr"}, "kml sweep delete lr"},
           {{"sweep", "ls"}, "kml sweep list"},
           {{"sweep", "continue", "lr"}, "kml sweep resume lr"},
           {{"sweep", "compare", "a", "b"}, "kml runs compare a b"},
           {{"run", "compare"}, "kml runs compare RUN RUN"},
           {{"serve", "cancel", "digits"}, "kml serve stop digits"},
           {{"serve", "ls"}, "kml serve list"},
           {{"serve", "scale", "iris", "3"}, "kml serve iris --replicas 3 -- COMMAND..."},
           {{"schedule", "stop", "nightly"}, "kml schedule pause nightly"},
           {{"schedule", "rm", "nightly"}, "kml schedule delete nightly"},
           {{"schedule", "run", "nightly"}, "kml schedule run-now nightly"},
           {{"schedule", "status", "nightly"}, "kml schedule list"},
           {{"schedule", "history", "nightly"}, "kml schedule list"},
           {{"schedule", "wait", "nightly"}, "kml schedule list"},
           {{"schedule", "rerun", "nightly"}, "kml schedule run-now nightly"},
           {{"serve", "delete", "digits"}, "kml serve stop digits"},
           {{"serve", "history", "digits"}, "kml serve revisions digits"},
           {{"serve", "wait", "digits"}, "kml serve status digits"},
           {{"sweep", "history", "lr"}, "kml sweep status lr"},
           {{"run", "timeline", "iris-1"}, "kml run status iris-1"},
           {{"local", "stop"}, "kml local down"},
           {{"local", "start"}, "kml local up"},
           {{"template", "ls"}, "kml template list"},
           {{"dev", "stop", "big"}, "kml cancel big"},
           {{"dev", "cancel", "big"}, "kml cancel big"},
           {{"dev", "stop"}, "kml cancel JOB; for a session with this name: kml dev --name stop"},
           {{"dev", "delete", "a", "b"}, "kml delete a b"},
           {{"dev", "ssh"}, "kml ssh JOB; for a session with this name: kml dev --name ssh"},
           {{"dev", "why"}, "kml why JOB; for a session with this name: kml dev --name why"},
           {{"dev", "start", "big"}, "kml dev big"},
           {{"schedule", "run", "pause", "nightly"}, "kml schedule pause nightly"},
           {{"dev", "list"}, "kml dev --list; for a session with this name: kml dev --name list"}}) {
    CAPTURE(shell_quoted(row.line));
    const std::optional<Error> error = error_of(row.line);
    REQUIRE(error);
    CHECK(error->message.starts_with("unknown command \"" + row.line[0] + " " + row.line[1] + "\""));
    CHECK(error->fix == row.fix);
  }
  // Names that a user gives on purpose.
  for (const Words& line : {Words{"dev", "--name", "stop"}, {"dev", "stop", "--", "python"}, {"dev", "big"}})
    CHECK(!error_of(line));
}

TEST_CASE("parse: for a command's name among the words of another command, the fix is the named command") {
  struct Row {
    Words line;
    std::string fix;
  };
  for (const Row& row :
       std::vector<Row>{{{"dev", "attach", "bert"}, "kml attach bert"},
                        {{"dev", "ssh", "bert"}, "kml ssh bert"},
                        {{"dev", "exec", "bert"}, "kml exec bert -- COMMAND..."},
                        {{"dev", "exec", "bert", "bash"}, "kml exec bert -- bash"},
                        {{"dev", "exec", "bert", "--", "nvidia-smi"}, "kml exec bert -- nvidia-smi"},
                        {{"dev", "open", "bert"}, "kml open bert"},
                        {{"dev", "shell", "bert"}, "kml shell bert"},
                        {{"dev", "resume", "bert"}, "kml resume bert"},
                        {{"dev", "why", "bert"}, "kml why bert"},
                        {{"dev", "bert", "logs"}, "kml logs bert"},
                        {{"sweep", "run", "status", "s"}, "kml sweep status s"},
                        {{"sweep", "run", "stop", "s"}, "kml sweep stop s"},
                        {{"sweep", "run", "cancel", "s"}, "kml sweep stop s"},
                        {{"sweep", "run", "s", "stop"}, "kml sweep stop s"},
                        {{"sweep", "run", "why", "s"}, "kml why s"},
                        {{"sweep", "s", "stop"}, "kml sweep stop s"},
                        {{"sweep", "why", "s"}, "kml why s"},
                        {{"submit", "logs", "bert"}, "kml logs bert"},
                        {{"submit", "logs", "-f", "bert"}, "kml logs -f bert"},
                        {{"-n", "team", "submit", "logs", "bert"}, "kml logs -n team bert"},
                        {{"submit", "--gpus", "1", "why", "bert"}, "kml why bert"},
                        {{"submit", "list"}, "kml list"},
                        {{"submit", "serve", "stop", "iris"}, "kml serve stop iris"},
                        {{"run", "why", "r1"}, "kml why r1"},
                        {{"run", "r1", "logs"}, "kml run logs r1"},
                        {{"run", "r1", "stop"}, "kml run stop r1"},
                        {{"serve", "why", "iris"}, "kml why iris"},
                        {{"serve", "iris", "stop"}, "kml serve stop iris"},
                        {{"schedule", "logs", "nightly"}, "kml logs nightly"}}) {
    CAPTURE(shell_quoted(row.line));
    const std::optional<Error> error = error_of(row.line);
    REQUIRE(error);
    CHECK(error->fix == row.fix);
  }
  // A session, a sweep and a job may have the name of a command, and a pod may have programs with such names.
  for (const Words& line : {Words{"dev", "why", "--", "python"}, {"sweep", "run", "stop", "--", "true"}})
    CHECK(!error_of(line));
  CHECK(error_of({"exec", "bert", "env"})->fix == "kml exec bert -- env");
  CHECK(error_of({"config", "alias", "st", "status"})->fix == "kml config alias st -- status");
  CHECK(error_of({"submit", "logs", "--", "true"})->fix == "kml submit --name logs -- true");
}

TEST_CASE("parse: the fix for a word that is neither a command nor a file names each ending of files") {
  const std::optional<Error> error = error_of({"run", "bert"});
  REQUIRE(error);
  for (const std::string end : {".yaml", ".yml", ".json", ".zip", ".tar.gz", ".tgz", ".tar"}) {
    CHECK(contains(error->fix, end));
    CHECK(!error_of({"run", "bert" + end}));
  }
}

TEST_CASE("parse: one-letter flags that share a dash stay with the command in the fix") {
  struct Row {
    Words line;
    std::string fix;
  };
  for (const Row& row :
       std::vector<Row>{{{"exec", "bert", "-it", "bash"}, "kml exec bert -it -- bash"},
                        {{"exec", "-it", "bert", "bash"}, "kml exec -it bert -- bash"},
                        {{"exec", "-i", "bert", "bash"}, "kml exec -i bert -- bash"},
                        {{"exec", "-nteam", "bert", "bash"}, "kml exec -nteam bert -- bash"},
                        {{"exec", "-itn", "team", "bert", "bash"}, "kml exec -itn team bert -- bash"},
                        {{"exec", "bert", "ls", "-la"}, "kml exec bert -- ls -la"}}) {
    CAPTURE(shell_quoted(row.line));
    const std::optional<Error> error = error_of(row.line);
    REQUIRE(error);
    CHECK(error->fix == row.fix);
  }
}

TEST_CASE("parse: a misspelled flag before a command's name is unknown, and the nearest flag is suggested") {
  struct Row {
    Words line;
    std::string flag, nearest;
  };
  for (const Row& row : std::vector<Row>{{{"runs", "--colums", "a"}, "--colums", "--columns"},
                                         {{"runs", "--wher", "a"}, "--wher", "--where"},
                                         {{"runs", "--srt", "a"}, "--srt", "--sort"},
                                         {{"run", "--nam", "x"}, "--nam", "--name"},
                                         {{"run", "--contxt", "x"}, "--contxt", "--context"},
                                         {{"sweep", "--trals", "3"}, "--trals", "--trials"},
                                         {{"sweep", "--contxt", "a", "list"}, "--contxt", "--context"},
                                         {{"artifact", "--outpt", "json"}, "--outpt", "--output"},
                                         {{"schedule", "--outpt=json"}, "--outpt", "--output"}}) {
    CAPTURE(shell_quoted(row.line));
    const std::optional<Error> error = error_of(row.line);
    REQUIRE(error);
    CHECK(error->message == "unknown flag \"" + row.flag + "\"");
    CHECK(error->fix.starts_with("did you mean \"" + row.nearest + "\"?"));
  }
}

TEST_CASE("parse: the error for a misspelled flag never calls the flag misplaced") {
  GlobalOptions options;
  const Command whole = command_tree(options);
  size_t tried = 0;
  for (const Command& group : whole.subcommands)
    for (size_t i = 0; i <= group.subcommands.size(); ++i)
      for (const Option& option : (i == 0 ? group : group.subcommands[i - 1]).options) {
        std::string typed = option.long_name();
        typed.pop_back();
        const auto has_it = [&](const Command& each) { return each.find(typed) != nullptr; };
        constexpr size_t kShortest = 6;  // a shorter word resembles too many flags
        if (group.subcommands.empty() || typed.size() < kShortest || has_it(group) ||
            std::any_of(group.subcommands.begin(), group.subcommands.end(), has_it))
          continue;
        ++tried;
        CAPTURE(group.name);
        CAPTURE(typed);
        if (const auto error = error_of({group.name, typed, "a"}))
          CHECK(!contains(error->message, "comes before the command"));
      }
  CHECK(tried > 100);
}

TEST_CASE("parse: the fix uses an extra word before the command as the name only if the word can be a name") {
  struct Row {
    Words line;
    std::string fix;
  };
  for (const Row& row : std::vector<Row>{
           {{"submit", "bert", "--", "true"}, "kml submit --name bert -- true"},
           {{"submit", "--gpus", "1", "bert", "--", "true"}, "leave out \"bert\""},
           {{"submit", "--name", "a", "b", "--", "true"}, "leave out \"b\""},
           {{"submit", "--gpus", "1", "2", "--", "true"}, "leave out \"2\""},
           {{"submit", "help"}, "kml submit --help"},
           {{"submit", "job.yaml"}, "kml submit -f job.yaml"},
           {{"submit", "--gpus", "1", "a b.yml"}, "kml submit --gpus 1 -f 'a b.yml'"},
           {{"create", "-f", "a b.yaml"}, "kml submit -f 'a b.yaml'"},
           {{"submit", "a", "b", "--", "true"}, "leave out \"a\", \"b\""},
           {{"submit", "--env", "A=1", "B=2", "--", "true"}, "kml submit --env A=1 --env B=2 -- true"},
           {{"serve", "iris", "v2", "--", "true"}, "leave out \"v2\""},
           {{"sweep", "--trials", "3", "--", "true"}, "kml sweep run --trials 3 -- true"}}) {
    CAPTURE(shell_quoted(row.line));
    const std::optional<Error> error = error_of(row.line);
    REQUIRE(error);
    CHECK(error->fix == row.fix);
  }
}

}  // namespace fixes_parse_test
