#include "mcp/tools/argument_names.h"

#include <algorithm>
#include <optional>

#include "kml/base/error.h"
#include "kml/base/text.h"

namespace kml::mcp {

namespace {

/// Other words for arguments, in kebab case.
struct OtherWords {
  std::string_view name, words;
};

constexpr OtherWords kOtherWords[] = {
    {"job", "name names jobs job-name job-names id job-id jobid"},
    {"names", "name job jobs job-name job-names id ids job-id target targets"},
    {"name", "job job-name title tool tool-name function"},
    {"command", "cmd args argv script program entrypoint run commands"},
    {"arguments", "args argument params parameters input inputs"},
    {"tool", "name tool-name function"},
    {"query", "q search text"},
    {"uri", "url link resource name"},
    {"plan", "id plan-id"},
    {"kind", "type"},
    {"flags", "flag options extra-args args"},
    {"file", "path filename pipeline"},
    {"env", "environment envs env-vars variables"},
    {"gpus", "gpu num-gpus gpu-count n-gpus"},
    {"cpu", "cpus num-cpus cores"},
    {"memory", "mem ram"},
    {"nodes", "num-nodes n-nodes workers replicas"},
    {"mount", "mounts volume volumes"},
    {"chdir", "cwd workdir working-dir working-directory dir"},
    {"time-limit", "walltime timeout max-time"},
    {"timeout", "time-limit wait-time seconds"},
    {"retries", "retry max-retries"},
    {"trials", "max-trials num-trials n-trials"},
    {"parallel", "parallelism max-parallel concurrency"},
    {"param", "params parameter parameters search-space"},
    {"tail", "lines n limit num-lines last"},
    {"limit", "n max count top"},
    {"run", "name id run-id run-name"},
};

/// "time-limit" for "timeLimit", "time_limit" and "--time-limit".
std::string kebab_case(std::string_view typed) {
  std::string word;
  for (const char c : typed) {
    const bool is_capital = c >= 'A' && c <= 'Z';
    if ((is_capital || c == '_' || c == '-' || c == ' ') && !word.empty() && word.back() != '-') word += '-';
    if (is_capital)
      word += static_cast<char>(c - 'A' + 'a');
    else if (c != '_' && c != '-' && c != ' ')
      word += c;
  }
  return word;
}

std::optional<std::string> name_meant(std::string_view typed, const std::vector<std::string>& known) {
  const std::string word = kebab_case(typed);
  if (std::find(known.begin(), known.end(), word) != known.end()) return word;
  for (const OtherWords& other : kOtherWords) {
    const std::vector<std::string> words = split(other.words, ' ');
    if (std::find(known.begin(), known.end(), other.name) != known.end() &&
        std::find(words.begin(), words.end(), word) != words.end())
      return std::string(other.name);
  }
  return nearest(word, known);
}

}  // namespace

std::string fix_for_name(std::string_view typed, const std::vector<std::string>& known) {
  const std::optional<std::string> meant = name_meant(typed, known);
  return (meant ? "did you mean \"" + *meant + "\"? " : "") + "it has: " + join(known, ", ");
}

void require_known_names(const Json& arguments, const std::vector<std::string>& known,
                         const std::string& owner) {
  for (const auto& [name, value] : arguments.items())
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw usage_error(owner + " has no argument \"" + name + "\"", "", fix_for_name(name, known));
}

}  // namespace kml::mcp
