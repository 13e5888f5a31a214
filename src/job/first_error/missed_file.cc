#include "job/first_error/missed_file.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <string_view>

#include "kml/base/text.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::job {

namespace {

namespace fs = std::filesystem;

using Texts = std::array<std::string_view, 5>;

constexpr Texts kMissing = {"o such file", "not found", "annot open", "an't open", "annot find"},
                kDenied = {"ermission denied", "EACCES"};

/// Whether the line has one of the texts about this file. Shells, interpreters and runtimes print "can't open
/// 'a.sh'" or "a.sh: not found". In "a.sh: 3: x: not found", the file exists, and a different program is
/// missing.
bool tells_of(std::string_view line, std::string_view file, const Texts& texts) {
  const auto is_of_file = [&](std::string_view text) {
    const size_t at = text.empty() ? std::string_view::npos : line.find(text);
    if (at == std::string_view::npos) return false;
    if (contains(line.substr(at), file)) return true;
    const size_t name = line.substr(0, at).rfind(file);
    if (name == std::string_view::npos) return false;
    std::string between(line.substr(name + file.size(), at - name - file.size()));
    std::erase_if(between, [](char c) { return contains(" :'\"", {&c, 1}); });
    constexpr std::string_view kFirstLetters = "NnCcPp";
    return between.empty() || (between.size() == 1 && contains(kFirstLetters, between));
  };
  return std::any_of(texts.begin(), texts.end(), is_of_file);
}

/// The first word of the command that is a file in this folder, and that the line is about.
std::string blamed_file(const std::string& line, const std::string& command, const fs::path& folder,
                        const Texts& texts) {
  for (std::string word : split(command, ' ')) {
    std::erase_if(word, [](char c) { return c == '\'' || c == '"'; });
    std::error_code none;
    const fs::path path(word);
    if (word.empty() || path.is_absolute() || !tells_of(line, path.filename().string(), texts)) continue;
    if (fs::is_regular_file(folder / path, none)) return word;
  }
  return {};
}

/// Where the job's command starts, if that is a folder of this machine; otherwise empty.
fs::path start_on_this_machine(const Json& job) {
  fs::path folder;
  each_pod_template(job, [&](const Json& pod, int) {
    const std::string own = api::annotation_of(pod, api::kWorkingFolder);
    const Json& containers = api::containers_in(api::spec_of(pod));
    if (folder.empty() && !own.empty() && !containers.empty())
      folder = string_at(containers[0], {"workingDir"}, own);
  });
  return folder;
}

/// The program in a first line such as "#!/usr/bin/env python3"; empty if the file does not start like this.
/// The kernel takes a carriage return at the end of the line for a part of the name.
std::string first_line_program(const fs::path& file) {
  std::string line;
  std::ifstream stream(file);
  if (!std::getline(stream, line) || !line.starts_with("#!")) return {};
  line = std::string(line.substr(std::min(line.find_first_not_of(" \t", 2), line.size())));
  return line.substr(0, line.find_first_of(" \t"));
}

/// Why the file cannot be run although it exists; false if this is not known.
bool name_interpreter(const std::string& file, const fs::path& folder, bool is_here, Cause& cause) {
  std::string program = first_line_program(folder / file);
  if (program.ends_with('\r')) {
    cause.summary += "; the first line of " + file + " ends with a carriage return, as in files of Windows";
    cause.remedies.insert(cause.remedies.begin(), {"remove the carriage returns",
                                                   "sed -i 's/\\r$//' " + shell_quoted(std::array{file})});
    return true;
  }
  if (program.empty() || !is_here || ::access(program.c_str(), F_OK) == 0) return false;
  cause.summary += "; the program in the first line of " + file + ", " + program + ", does not exist";
  cause.remedies.insert(cause.remedies.begin(), {"correct the first line of " + file, ""});
  return true;
}

void name_lack(const std::string& file, const std::string& command, Cause& cause) {
  cause.summary += "; " + file + " is in this folder, but the job does not have it";
  cause.remedies.insert(cause.remedies.begin(),
                        {"send this folder with the job", "kml submit --code . … -- " + command});
}

/// A program that reads the file, such as `sh FILE`, does not need the program in the file's first line.
bool is_about_reading(const std::string& line) {
  return contains(line, "annot open") || contains(line, "an't open");
}

}  // namespace

void name_missed_file(std::span<const std::string> lines, const Json& job, const std::string& command,
                      const fs::path& folder, Cause& cause) {
  const fs::path start = job.is_object() ? start_on_this_machine(job) : fs::path();
  for (const std::string& line : lines) {
    if (const std::string file = blamed_file(line, command, folder, kMissing); !file.empty()) {
      if (!is_about_reading(line) && name_interpreter(file, folder, !start.empty(), cause)) return;
      std::error_code none;
      const bool has_it_now = !start.empty() && fs::exists(start / file, none);
      if (!has_it_now) name_lack(file, command, cause);
      return;
    }
    const std::string file = blamed_file(line, command, folder, kDenied);
    if (file.empty() || ::access((folder / file).c_str(), X_OK) == 0) continue;
    cause.summary += "; " + file + " is not executable";
    cause.remedies.insert(cause.remedies.begin(), {"make it executable, or name the program that runs it",
                                                   "chmod +x " + shell_quoted(std::array{file})});
    return;
  }
}

}  // namespace kml::job
