#include "cli/own_words.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "cli/parse.h"
#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/text.h"
#include "kml/base/yaml.h"

namespace kml::cli {

namespace fs = std::filesystem;

namespace {

bool is_command(const Command& root, const std::string& word) {
  return std::any_of(root.subcommands.begin(), root.subcommands.end(),
                     [&](const Command& command) { return command.name == word && !command.hidden; });
}

[[noreturn]] void bad_alias(const std::string& name) {
  throw usage_error("alias " + name + " in " + alias_file().string() + " is not a list of words", "",
                    "correct the alias in the file, or delete it there");
}

}  // namespace

fs::path alias_file() {
  return config_folder() / "aliases.yaml";
}

Aliases read_aliases() {
  Aliases aliases;
  const fs::path file = alias_file();
  if (!fs::exists(file)) return aliases;
  const yaml::Node root = yaml::parse_one(read_own_file(file), file.string(), {.bytes = size_t{1} << 20});
  for (const yaml::Node::Entry& entry : root.entries) {
    if (entry.value.kind != yaml::Kind::sequence || entry.value.items.empty()) bad_alias(entry.key.text);
    for (const yaml::Node& word : entry.value.items) {
      if (word.kind != yaml::Kind::scalar) bad_alias(entry.key.text);
      aliases[entry.key.text].push_back(word.text);
    }
  }
  return aliases;
}

void write_aliases(const Aliases& aliases) {
  make_private_folder(config_folder());
  write_file_atomically(alias_file(), aliases.empty() ? std::string() : yaml::to_yaml(Json(aliases)));
}

void expand_alias(const Command& root, std::vector<std::string>& arguments) {
  const std::optional<size_t> at = command_word(root, arguments);
  if (!at || is_command(root, arguments[*at])) return;
  const Aliases aliases = read_aliases();
  const auto alias = aliases.find(arguments[*at]);
  if (alias == aliases.end()) return;
  const auto place = arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(*at));
  arguments.insert(place, alias->second.begin(), alias->second.end());
}

std::map<std::string, fs::path> extensions(const Command& root) {
  constexpr std::string_view kPrefix = "kml-";
  std::map<std::string, fs::path> found;
  for (const std::string& folder : split(environment("PATH"), ':')) {
    if (!folder.starts_with('/')) continue;
    // Uses readdir(), because a directory_iterator would create a path for each of the thousands of programs
    // in PATH.
    const std::unique_ptr<DIR, int (*)(DIR*)> listing(::opendir(folder.c_str()), ::closedir);
    while (const dirent* entry = listing ? ::readdir(listing.get()) : nullptr) {
      const std::string name = entry->d_name;
      if (!name.starts_with(kPrefix) || name.size() == kPrefix.size()) continue;
      const fs::path path = fs::path(folder) / name;
      std::error_code ignored;
      if (is_command(root, name.substr(kPrefix.size())) || !fs::is_regular_file(path, ignored) ||
          ::access(path.c_str(), X_OK) != 0)
        continue;
      found.try_emplace(name.substr(kPrefix.size()), path);  // the first folder in PATH wins
    }
  }
  return found;
}

void become_extension(const Command& root, const std::vector<std::string>& arguments) {
  const std::optional<size_t> at = command_word(root, arguments);
  if (!at || is_command(root, arguments[*at])) return;
  const std::string& name = arguments[*at];
  const auto all = extensions(root);
  const auto found = all.find(name);
  if (found == all.end()) return;
  if (*at > 0)
    throw usage_error("flags cannot precede " + name + ", because it is an extension",
                      found->second.string() + " reads its own flags",
                      "kml " + name + " " + shell_quoted({arguments.data(), *at}));
  std::vector<std::string> words(arguments.begin(), arguments.end());
  words[0] = found->second.string();
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execv(argv[0], argv.data());
  throw system_error("cannot run " + words[0], errno, "check that it is an executable for this machine");
}

}  // namespace kml::cli
