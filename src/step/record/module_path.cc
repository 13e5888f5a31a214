#include "step/record/module_path.h"

#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <string_view>

#include "step/record/paths.h"
#include "step/say.h"

namespace kml::step {

namespace {

/// What the words of a command line tell about sys.path.
struct PythonCall {
  std::string script;  ///< empty if there is none, as in `python -m MODULE`
  bool has_own_folder = true, uses_environment = true;
};

std::vector<std::string> texts_in(const std::string& path) {
  constexpr size_t kLongest = size_t{16} << 20;
  std::string bytes;
  std::vector<std::string> texts;
  if (!read_all(path, kLongest, bytes)) return texts;
  for (std::string_view rest = bytes; !rest.empty();) {
    const size_t end = std::min(rest.find('\0'), rest.size());
    texts.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return texts;
}

/// Reads options as Python does. Returns whether they end here, because -c or -m take all the words after
/// them.
bool take_options(const std::string& word, PythonCall& call, bool& takes_next) {
  for (size_t i = 1; i < word.size(); ++i) {
    const char option = word[i];
    if (option == 'I' || option == 'P') call.has_own_folder = false;
    if (option == 'I' || option == 'E') call.uses_environment = false;
    if (option == 'c' || option == 'm') return true;
    if (option == 'W' || option == 'X') {
      takes_next = i + 1 == word.size();
      return false;
    }
  }
  return false;
}

PythonCall call_in(const std::vector<std::string>& words) {
  PythonCall call;
  for (size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    bool takes_next = word == "--check-hash-based-pycs";
    if (word == "-") return call;
    if (!word.starts_with('-')) {
      call.script = word;
      return call;
    }
    if (!word.starts_with("--") && take_options(word, call, takes_next)) return call;
    if (takes_next) ++i;
  }
  return call;
}

/// The folder of the script, whose links Python follows; empty if the script is not there.
std::string folder_of(const std::string& script, const std::string& current) {
  const std::string path = script.starts_with('/') ? script : current + "/" + script;
  struct stat at {};
  char* real =
      ::stat(path.c_str(), &at) == 0 && S_ISREG(at.st_mode) ? ::realpath(path.c_str(), nullptr) : nullptr;
  if (!real) return {};
  std::string folder = real;
  ::free(real);
  folder.resize(folder.rfind('/'));
  return folder;
}

std::string value_of(const std::vector<std::string>& environment, std::string_view variable) {
  for (const std::string& each : environment)
    if (each.starts_with(variable) && each[variable.size()] == '=') return each.substr(variable.size() + 1);
  return {};
}

}  // namespace

std::vector<std::string> module_path_of(int thread) {
  const std::string process = "/proc/" + std::to_string(thread) + "/";
  const std::string program = link_target(process + "exe"), current = link_target(process + "cwd");
  const std::string name = program.substr(program.rfind('/') + 1);
  std::vector<std::string> folders;
  if (!name.starts_with("python") && !name.starts_with("pypy")) return folders;
  const PythonCall call = call_in(texts_in(process + "cmdline"));
  std::vector<std::string> environment;
  if (call.uses_environment) environment = texts_in(process + "environ");
  if (call.has_own_folder && value_of(environment, "PYTHONSAFEPATH").empty())
    folders.push_back(call.script.empty() ? current : folder_of(call.script, current));
  const std::string own = value_of(environment, "PYTHONPATH");
  for (std::string_view rest = own; !rest.empty();) {
    const size_t end = std::min(rest.find(':'), rest.size());
    const std::string folder(rest.substr(0, end));
    if (!folder.empty()) folders.push_back(folder.starts_with('/') ? folder : current + "/" + folder);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return folders;
}

}  // namespace kml::step
