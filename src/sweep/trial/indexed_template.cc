#include "kml/sweep/trial/indexed_template.h"

#include <fmt/format.h>

#include <algorithm>

#include "kml/core/text.h"
#include "sweep/trial/holes.h"

namespace kml::sweep {

namespace {

/// The first column, whatever a parameter is called.
constexpr const char* kNumber = "";

/// A container's script, and the words that it gets. The script is made of references alone: what stands in
/// the manifest goes through arguments, so that nothing in it can become a command.
class Wrapper {
 public:
  Wrapper(const SweepSpec& spec, const std::vector<std::string>& columns)
      : spec_(spec), holes_(spec), columns_(columns) {}

  /// Whether it has holes, and was wrapped.
  bool wrap(Json& container, const std::string& folder, size_t lines) {
    std::string run = "exec";
    for (const char* key : {"command", "args"})
      for (const Json& word : array_at(container, {key})) run += " " + word_of(word.get<std::string>());
    std::string exports;
    Json env = Json::array();
    for (const Json& variable : array_at(container, {"env"})) {
      const std::vector<Piece> pieces = holes_.pieces(string_at(variable, {"value"}));
      if (std::any_of(pieces.begin(), pieces.end(), [](const Piece& piece) { return piece.is_hole; }))
        exports += fmt::format("export {}={}\n", string_at(variable, {"name"}), reference_to(pieces));
      else
        env.push_back(variable);
    }
    if (holes_met_ == 0) return false;
    exports += "export KML_TRIAL=\"$kml_0\"\n";
    if (!spec_.checkpoint_folder.empty()) exports += "export KML_CHECKPOINT=" + variable("checkpoint") + "\n";
    const std::string script = fmt::format(
        "line=$(sed -n \"$((JOB_COMPLETION_INDEX % {0} + 1)){{p;q;}}\" "
        "\"{1}/$((JOB_COMPLETION_INDEX / {0}))/trials\") || exit\n"
        "[ -n \"$line\" ] || {{ echo \"the sweep's table has no line for index $JOB_COMPLETION_INDEX\" >&2; "
        "exit 1; }}\n"
        "eval \"$line\"\n{2}{3}",
        lines, folder, exports, run);
    container["command"] = {"sh", "-c", script, "sh"};
    container["args"] = words_;
    if (container.contains("env")) container["env"] = env;
    return true;
  }

 private:
  std::string variable(const std::string& hole) const {
    const auto found = std::find(columns_.begin(), columns_.end(), hole);
    return fmt::format("\"$kml_{}\"", found - columns_.begin());
  }

  std::string argument(const std::string& text) {
    words_.push_back(text);
    return fmt::format("\"${{{}}}\"", words_.size());
  }

  /// A parameter that is inactive has no variable, and its argument is left out.
  std::string all_arguments() {
    std::string words;
    for (const Parameter& parameter : spec_.parameters) {
      const std::string name = variable(parameter.name);
      words += fmt::format("{}${{{}+{}{}}}", words.empty() ? "" : " ", name.substr(2, name.size() - 3),
                           argument("--" + parameter.name + "="), name);
    }
    ++holes_met_;
    return words;
  }

  std::string word_of(const std::string& word) {
    return word == "{args}" ? all_arguments() : reference_to(holes_.pieces(word));
  }

  std::string reference_to(const std::vector<Piece>& pieces) {
    std::string reference;
    for (const Piece& piece : pieces) {
      holes_met_ += piece.is_hole ? 1 : 0;
      reference += piece.is_hole ? variable(piece.text) : argument(piece.text);
    }
    return reference.empty() ? "\"\"" : reference;
  }

  const SweepSpec& spec_;
  const Holes holes_;
  const std::vector<std::string>& columns_;
  std::vector<std::string> words_;
  size_t holes_met_ = 0;
};

void append(Json& list, const Json& more) {
  for (const Json& each : more) list.push_back(each);
}

void collect_holes(const Holes& holes, const Json& value, std::vector<std::string>& names) {
  if (value.is_structured())
    for (const Json& each : value) collect_holes(holes, each, names);
  if (!value.is_string() || value == "{args}") return;
  for (const Piece& piece : holes.pieces(value))
    if (piece.is_hole && std::find(names.begin(), names.end(), piece.text) == names.end())
      names.push_back(piece.text);
}

}  // namespace

IndexedTemplate::IndexedTemplate(const SweepSpec& spec) : spec_(spec), columns_{kNumber} {
  for (const Parameter& parameter : spec.parameters) columns_.push_back(parameter.name);
  if (!spec.checkpoint_folder.empty()) columns_.emplace_back("checkpoint");
  collect_holes(Holes(spec), object_at(spec.trial, {"spec"}), columns_);
  collect_holes(Holes(spec), spec.collector.path, columns_);  // which comes into the command
}

std::string IndexedTemplate::line(const TrialJob& job) const {
  const Filling filling = Holes(spec_).filling(job);
  std::string line = fmt::format("kml_0={}", job.trial);
  for (size_t i = 1; i < columns_.size(); ++i) {
    const auto value = filling.values.find(columns_[i]);
    const bool is_args = columns_[i] == "args";
    if (!is_args && value == filling.values.end()) continue;
    const std::vector<std::string> text = {is_args ? shell_quoted(filling.args) : text_of(value->second)};
    line += fmt::format(" kml_{}={}", i, shell_quoted(text));
  }
  return line;
}

Json IndexedTemplate::wrapped(const Json& trial, const std::string& folder,
                              const std::vector<std::string>& maps, size_t lines) const {
  Json job = trial, volumes = Json::array(), mounts = Json::array();
  for (size_t i = 0; i < maps.size(); ++i) {
    const std::string name = fmt::format("kml-trials-{}", i);
    volumes.push_back({{"name", name}, {"configMap", {{"name", maps[i]}}}});
    mounts.push_back({{"name", name}, {"mountPath", fmt::format("{}/{}", folder, i)}, {"readOnly", true}});
  }
  Json& pod = job["spec"]["template"]["spec"];
  append(pod["volumes"], volumes);
  for (const char* key : {"initContainers", "containers"})
    if (pod.contains(key))
      for (Json& container : pod[key])
        if (Wrapper(spec_, columns_).wrap(container, folder, lines))
          append(container["volumeMounts"], mounts);
  return job;
}

}  // namespace kml::sweep
