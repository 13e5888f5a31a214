#include "job/submit/local_interpreter.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string_view>

#include "kml/base/files.h"
#include "kml/base/program_path.h"
#include "kml/base/text.h"

namespace kml::job {

namespace fs = std::filesystem;

namespace {

bool is_name_of_python(std::string_view name) {
  return name.starts_with("python") || name.starts_with("pypy");
}

bool is_interpreter(const fs::path& program) {
  const std::string name = program.filename();
  const auto is_one_of = [&](const auto&... names) { return ((name == names) || ...); };
  return is_name_of_python(name) || is_one_of("node", "julia", "Rscript", "perl", "ruby");
}

/// Whether the program starts another one, which its arguments name.
bool starts_another(const fs::path& program) {
  static constexpr std::string_view kNames[] = {"sh",   "bash",  "dash", "zsh",    "env",
                                                "nice", "nohup", "time", "stdbuf", "timeout"};
  return std::ranges::find(kNames, program.filename().string()) != std::end(kNames);
}

/// The program in a script's first line, after "#!" and env(1).
std::string program_of_script(const fs::path& script) {
  constexpr size_t kLongest = 256;
  std::string start(kLongest, '\0');
  std::ifstream file(script, std::ios::binary);
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<size_t>(file.gcount()));
  if (!start.starts_with("#!")) return {};
  std::istringstream words(start.substr(2, start.find('\n') - 2));
  std::string program;
  words >> program;
  if (fs::path(program).filename() == "env")
    while (words >> program && program.starts_with('-')) {
    }
  return program;
}

/// "3.11.2" of "3.11.2.final.0".
std::string leading_version(std::string_view text) {
  size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  while (end > 0 && text[end - 1] == '.') --end;
  return std::string(text.substr(0, end));
}

/// The version in the pyvenv.cfg of a virtual environment.
std::string version_of_venv(const fs::path& home) {
  std::ifstream file(home / "pyvenv.cfg");
  for (std::string line; std::getline(file, line);)
    if (const size_t equals = line.find('='); equals != std::string::npos && line.starts_with("version"))
      return leading_version(trim(std::string_view(line).substr(equals + 1)));
  return {};
}

/// The version of the package python in a conda environment.
std::string version_of_conda(const fs::path& home) {
  constexpr std::string_view kPackage = "python-";
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(home / "conda-meta", none)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with(kPackage)) continue;
    if (std::string version = leading_version(std::string_view(name).substr(kPackage.size()));
        !version.empty())
      return version;
  }
  return {};
}

/// Reads files only: a program that runs at each submit would take longer than the submit.
std::string version_of_python(const fs::path& python) {
  const fs::path home = python.parent_path().parent_path();
  if (std::string version = version_of_venv(home); !version.empty()) return version;
  if (std::string version = version_of_conda(home); !version.empty()) return version;
  std::error_code none;
  const std::string name = fs::canonical(python, none).filename();
  const size_t digit = name.find_first_of("0123456789");
  return digit == std::string::npos ? "" : leading_version(std::string_view(name).substr(digit));
}

/// The first interpreter among the words of a command, including the words of scripts for a shell; empty if
/// there is none.
std::string named_interpreter(const std::vector<std::string>& command) {
  for (const std::string& argument : command) {
    std::istringstream words(argument);
    for (std::string word; words >> word;)
      if (is_interpreter(word)) return word;
  }
  return {};
}

}  // namespace

LocalInterpreter interpreter_of_command(const std::vector<std::string>& command,
                                        const std::filesystem::path& folder, const std::string& search) {
  if (command.empty()) return {};
  std::string program = starts_another(command[0]) ? named_interpreter(command) : command[0];
  if (program.empty()) return {};
  fs::path file = find_program(program, search, folder);
  if (!file.empty() && !is_interpreter(file)) file = find_program(program_of_script(file), search, folder);
  if (file.empty() || !is_interpreter(file)) return {};
  file = file.lexically_normal();
  return {file, is_name_of_python(file.filename().string()) ? version_of_python(file) : ""};
}

std::string local_driver_version() {
  if (const auto version = read_file_if_exists("/sys/module/nvidia/version"))
    return std::string(trim(*version));
  std::istringstream words(read_file_if_exists("/proc/driver/nvidia/version").value_or(""));
  for (std::string word; words >> word;)
    if (contains(word, ".") && word == leading_version(word)) return word;
  return {};
}

}  // namespace kml::job
