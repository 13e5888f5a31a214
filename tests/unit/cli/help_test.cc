#include "cli/help.h"

#include <doctest/doctest.h>

#include <map>
#include <set>

#include "cli/context.h"
#include "cli/examples.h"
#include "cli/wrap.h"
#include "kml/base/text.h"
#include "kml/ui/table.h"

using namespace kml;
using namespace kml::cli;

namespace help_test {

struct Tree {
  GlobalOptions options;
  Command root = command_tree(options);

  void visit(const std::function<void(const Command&, const std::string& path)>& see) {
    visit(root, "kml", see);
  }

 private:
  void visit(const Command& command, const std::string& path,
             const std::function<void(const Command&, const std::string& path)>& see) {
    if (command.hidden) return;
    see(command, path);
    for (const Command& sub : command.subcommands) visit(sub, path + " " + sub.name, see);
  }
};

/// Whether the line could have been broken between its words. A quoted word of an example is not broken.
bool could_be_shorter(const std::string& line, size_t width) {
  if (ui::display_width(line) <= width) return false;
  if (line.find_first_of("'\"") != std::string::npos) return false;
  std::string words(trim(line));
  if (words.starts_with("- ")) words.erase(0, 2);
  if (words.ends_with(" \\")) words.erase(words.size() - 2);
  return words.find(' ') != std::string::npos;
}

TEST_CASE_FIXTURE(Tree, "help: fits the terminal for every command, whatever the width") {
  for (const size_t width : {40, 60, 80, 120, 200})
    visit([&](const Command& command, const std::string& path) {
      const size_t given = std::min<size_t>(width, 100);
      for (const std::string& line : split(help_text(root, command, path, {given, true, "kubectl "}), '\n')) {
        CAPTURE(path);
        CAPTURE(line);
        CHECK_FALSE(could_be_shorter(line, given));
        CHECK(line.find_last_not_of(' ') + 1 == line.size());
      }
    });
}

TEST_CASE("help: the width is COLUMNS, otherwise the terminal's, and at most 100") {
  ::setenv("COLUMNS", "60", 1);
  CHECK(help_width(80) == 60);
  ::setenv("COLUMNS", "250", 1);
  CHECK(help_width(80) == 100);
  for (const char* none : {"", "0", "wide", "-3"}) {
    ::setenv("COLUMNS", none, 1);
    CHECK(help_width(72) == 72);
  }
  ::unsetenv("COLUMNS");
  CHECK(help_width(200) == 100);
}

TEST_CASE("help: text is wrapped between words, whatever the line breaks in the source") {
  CHECK(wrapped("one two three", 7) == "one two\nthree\n");
  CHECK(wrapped("incomprehensible ab", 7, 2) == "  incomprehensible\n  ab\n");
  CHECK(wrapped("über äöü x", 8) == "über äöü\nx\n");  // the limit counts columns, not bytes
  CHECK(wrapped_description("a b\nc\n\nd:\n- e f\ng\n- h", 80) == "a b c\n\nd:\n- e f g\n- h\n");
  CHECK(wrapped_description("- aa bb cc", 7) == "- aa bb\n  cc\n");
}

TEST_CASE("help: an example is wrapped in such a way that it can still be pasted") {
  CHECK(examples_text({{"kml submit --env 'A=b c' -- true", "why"}}, 18) ==
        "  # why\n  kml submit \\\n      --env \\\n      'A=b c' -- \\\n      true\n");
  CHECK(examples_text({{"kml list"}, {"kml queue"}}, 80) == "  kml list\n  kml queue\n");
  CHECK(examples_text({{"kml list", "all"}, {"kml queue"}}, 80) == "  # all\n  kml list\n\n  kml queue\n");
}

TEST_CASE_FIXTURE(Tree, "help: a flag has a phrase of at most 90 characters, and sentences in the manual") {
  visit([&](const Command& command, const std::string& path) {
    for (const Option& option : command.options) {
      CAPTURE(path);
      CAPTURE(option.names);
      CAPTURE(option.help);
      CHECK(ui::display_width(option.help) <= 90);
      CHECK_FALSE(option.help.empty());
      CHECK_FALSE(option.help.ends_with("."));
      const std::string text = manual_text(option);
      CHECK((text.ends_with(".") || text.ends_with("]")));
      if (!path.starts_with("kml sweep")) CHECK_FALSE(option.sentences.empty());
      // texts start with the imperative: "Print", not "Prints"
      const std::string first = text.substr(0, text.find(' '));
      CHECK((!first.ends_with("s") || first.ends_with("ss") || first == "CPUs" || first == "GPUs"));
    }
  });
}

TEST_CASE_FIXTURE(
    Tree, "help: if a command has many flags, each appears once, under one of the command's headings") {
  visit([&](const Command& command, const std::string& path) {
    CAPTURE(path);
    std::set<const Option*> seen;
    for (const OptionGroup& group : option_groups(command)) {
      CHECK(group.heading != "Other flags");
      CHECK(group.options.size() <= 12);
      for (const Option* option : group.options) CHECK(seen.insert(option).second);
    }
    CHECK(seen.size() == command.options.size());
  });
}

/// The flags as the help shows them, in the form "Heading: --flag --flag; Heading: --flag".
std::string shown_order(const Command& command) {
  std::string text;
  for (const OptionGroup& group : option_groups(command)) {
    text += (text.empty() ? "" : "; ") + group.heading + ":";
    for (const Option* option : group.options) text += " " + option->long_name();
  }
  return text;
}

TEST_CASE("help: a heading of subcommands is printed only if one of them is shown") {
  const auto sub = [](const char* name, const char* heading, bool hidden) {
    Command command{name, "Does it"};
    command.heading = heading;
    command.hidden = hidden;
    return command;
  };
  Command command{"try", "Try"};
  command.subcommands = {sub("none", "First", true),   sub("one", "Second", false),
                         sub("not", "Second", true),   sub("two", "Third", true),
                         sub("three", "Third", false), sub("last", "Fourth", true)};
  const std::string text = help_text(command, command, "try", {80});
  for (const auto& [heading, shown] : std::map<std::string, bool>{
           {"First:", false}, {"Second:\n  one", true}, {"Third:\n  three", true}, {"Fourth:", false}})
    CHECK_MESSAGE(contains(text, "\n" + heading) == shown, heading);
}

TEST_CASE_FIXTURE(Tree,
                  "help: in the help of kml and of each command, each heading occurs once and has lines") {
  visit([&](const Command& command, const std::string& path) {
    CAPTURE(path);
    const std::string text = help_text(root, command, path, {80});
    for (const Command& sub : command.subcommands) {
      CAPTURE(sub.name);
      const std::string heading = "\n\n" + sub.heading + ":\n";
      const size_t at = text.find(heading);
      CHECK(text.find(heading, at + 1) == std::string::npos);
      CHECK(text.substr(at + heading.size(), 2) == "  ");
    }
  });
}

TEST_CASE("help: flags are in the order of their declaration, unless a flag says which one it follows") {
  bool target = false;
  Command command{"try", "Try"};
  command.options_under("First");
  command.flag("--late", target, "a").after("--two");
  command.flag("--later", target, "a").after("--late");
  command.flag("--one", target, "a");
  command.flag("--two", target, "a");
  command.options_under("Second");
  command.flag("--three", target, "a");
  command.flag("--four", target, "a").after("--one");
  command.flag("--without", target, "a").after("--missing");
  command.options_under("First");
  CHECK(shown_order(command) == "Flags: --late --later --one --two --three --four --without");
  command.flag("--five", target, "a");
  CHECK(shown_order(command) == "First: --one --four --two --late --later --five; Second: --three --without");
}

TEST_CASE("help: headings are in the order of Command::headings, and those without flags are left out") {
  bool target = false;
  Command command{"try", "Try"};
  command.headings = {"Later", "Empty"};
  command.options_under("Now");
  for (const char* name : {"-a", "-b", "-c", "-d", "-e", "-f", "-g"}) command.flag(name, target, "a");
  command.options_under("Later");
  command.flag("-h", target, "a");
  CHECK(shown_order(command) == "Later: -h; Now: -a -b -c -d -e -f -g");
}

TEST_CASE("help: the manual has a flag's sentences; without them, the flag's phrase becomes a sentence") {
  bool target = false;
  std::string value;
  Command command{"try", "Try"};
  CHECK(manual_text(command.flag("--all", target, "also the old ones")) == "Also the old ones.");
  CHECK(manual_text(command.choice("--sort", {"name", "age", "longest", "state"}, value, "the order")
                        .details("Sorts them.")) == "Sorts them. [one of name, age, longest, state]");
}

TEST_CASE_FIXTURE(Tree, "help: connection flags are shown only for commands that contact a server") {
  visit([&](const Command& command, const std::string& path) {
    if (!command.run) return;
    CAPTURE(path);
    const std::string text = help_text(root, command, path, {80});
    CHECK((text.find("--kubeconfig FILE") != std::string::npos) == command.has_target);
    CHECK(text.find("--no-color") != std::string::npos);
  });
  const Command& version = *std::find_if(root.subcommands.begin(), root.subcommands.end(),
                                         [](const Command& command) { return command.name == "version"; });
  CHECK_FALSE(version.has_target);
}

TEST_CASE_FIXTURE(Tree, "help: the help of every command that does something ends with examples") {
  visit([&](const Command& command, const std::string& path) {
    if (!command.run) return;
    CAPTURE(path);
    const auto examples = examples_of(command);
    const bool has_one_form = command.options.empty() && !command.argv;
    CHECK(examples.size() >= (has_one_form ? 1 : 2));
    CHECK(examples.size() <= 4);
    const std::string text = help_text(root, command, path, {100});
    CHECK(text.ends_with(examples_text(examples, 100)));
    for (const Example& example : examples) CHECK(example.line.find("kml ") != std::string::npos);
  });
}

}  // namespace help_test
