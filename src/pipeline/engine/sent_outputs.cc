#include "pipeline/engine/sent_outputs.h"

#include <sys/stat.h>

#include <functional>
#include <map>
#include <optional>

#include "kml/base/archive.h"
#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/text.h"
#include "kml/base/value_text.h"
#include "pipeline/engine/kept_output.h"
#include "pipeline/trees/tree_entries.h"
#include "pipeline/trees/tree_modes.h"
#include "pipeline/trees/unpack.h"

namespace kml::pipeline {

namespace fs = std::filesystem;

namespace {

constexpr size_t kMostUnpacked = size_t{256} << 20;

/// The lines in the entry "report", by output.
std::map<std::string, std::vector<std::string>> report_lines(std::string_view text) {
  std::map<std::string, std::vector<std::string>> lines;
  for (const std::string& line : split(std::string(text), '\n'))
    if (std::vector<std::string> words = split(line, ' '); words.size() > 1) lines[words[1]] = words;
  return lines;
}

using PlaceOf = std::function<Json(const Output& output, const std::string& digest)>;

class SentReport {
 public:
  explicit SentReport(const std::string& packed) : archive_(gunzipped(packed, kMostUnpacked)) {
    TarReader reader(archive_);
    for (TarEntry entry; reader.next(entry);) entries_.push_back(entry);
    if (reader.is_damaged() || entries_.empty() || entries_[0].name != "report")
      throw Error(ErrorCode::failure, "the step's outputs are damaged", "kml-step sent no archive");
    lines_ = report_lines(entries_[0].content);
  }

  std::optional<std::string> text(const std::string& output) const {
    for (const TarEntry& entry : entries_)
      if (entry.name == "value/" + output) return std::string(entry.content);
    return {};
  }

  Json made(const Output& output, const fs::path& path, const LocalStore& store) const {
    const std::vector<std::string>& words = words_of(output);
    if (!is_tree(output.kind)) return made_value(output);
    const Tree tree = kept(output, words, path, store);
    return {{"kind", name_of(output.kind)},
            {"path", path},
            {"digest", tree.digest},
            {"bytes", tree.bytes},
            {"files", tree.files}};
  }

  Json told(const Output& output, const PlaceOf& place_of) const {
    const std::vector<std::string>& words = words_of(output);
    if (!is_tree(output.kind)) return made_value(output);
    Json made = {{"kind", name_of(output.kind)}, {"digest", words.size() > 4 ? words[2] : ""}};
    for (const auto& [name, at] : {std::pair("bytes", 3), {"files", 4}})
      made[name] = words.size() > 4 ? Json::parse(words[at], nullptr, false) : Json();
    if (made["digest"].get_ref<const std::string&>().size() != 64 || !made["bytes"].is_number_unsigned() ||
        !made["files"].is_number_unsigned())
      throw Error(ErrorCode::failure, "output " + output.name + " was not sent",
                  "its line in the report of kml-step is damaged");
    made.update(place_of(output, words[2]));
    return made;
  }

 private:
  const std::vector<std::string>& words_of(const Output& output) const {
    const auto line = lines_.find(output.name);
    if (line == lines_.end() || line->second[0] != (is_tree(output.kind) ? "tree" : "value"))
      throw Error(ErrorCode::failure, "output " + output.name + " was not sent",
                  "kml-step did not report it");
    return line->second;
  }

  Json made_value(const Output& output) const {
    if (const auto text = this->text(output.name)) return made_of_text(*text);
    throw Error(ErrorCode::failure, "output " + output.name + " was not sent", "its value is missing");
  }

  Tree kept(const Output& output, const std::vector<std::string>& words, const fs::path& path,
            const LocalStore& store) const {
    store.prepare(path);
    try {
      unpack(entries_, "tree/" + output.name, path, Links::inside);
      Tree tree = kept_output(output, path, store);
      if (words.size() > 2 && tree.digest == words[2]) return tree;
      throw Error(ErrorCode::failure, "output " + output.name + " differs from what the step wrote",
                  "its files have a different digest here");
    } catch (const Error&) {
      remove_tree(path);
      throw;
    }
  }

  const std::string archive_;
  std::vector<TarEntry> entries_;
  std::map<std::string, std::vector<std::string>> lines_;
};

using MadeTree = std::function<Json(const Output& output)>;

/// The outputs of a step in a pod, as the pod reported them, for the step's StepProgram.
class LeftInPod final : public Leavings {
 public:
  LeftInPod(const SentReport& report, const StepJob& job, MadeTree made)
      : report_(report), job_(job), made_(std::move(made)) {}

  std::optional<std::string> text(const std::string& output) const override { return report_.text(output); }
  Json tree(const Output& output, const std::string& elsewhere) const override {
    return elsewhere.empty() ? made_(output) : input_at(elsewhere, output);
  }

 private:
  /// The pod has ended. So an output that the program wrote to a path of its own is lost, unless the output
  /// is one of the inputs.
  Json input_at(const std::string& place, const Output& output) const {
    for (const auto& [name, made] : job_.inputs.items())
      if (string_at(job_.scope.at("inputs"), {name, "path"}) == place) {
        Json handed_on = made;
        handed_on["kind"] = name_of(output.kind);
        return handed_on;
      }
    throw Error(ErrorCode::job_failed, "output " + output.name + " is at " + place,
                "kml copies outputs only from the paths that it gives to the component");
  }

  const SentReport& report_;
  const StepJob& job_;
  const MadeTree made_;
};

Json made_in_pod(const SentReport& report, const StepJob& job, const MadeTree& made_tree) {
  if (job.step->program)
    return job.step->program->made_by(*job.step, job.scope, LeftInPod(report, job, made_tree));
  Json made = Json::object();
  for (const Output& output : job.step->outputs)
    if (output.kind != OutputKind::metric) made[output.name] = made_tree(output);
  return made;
}

}  // namespace

std::string packed_tree(const fs::path& path) {
  Archive archive;
  for (const TreeEntry& entry : entries_of(path)) {
    if (S_ISLNK(entry.at.st_mode))
      archive.add_link(entry.path, entry.target);
    else if (S_ISREG(entry.at.st_mode))
      archive.add_file(entry.path, read_file(place_of(path, entry.path)), (entry.at.st_mode & S_IXUSR) != 0);
    else if (entry.is_empty)
      archive.add_folder(entry.path);
  }
  return archive.finish();
}

Json keep_sent(const std::string& packed, const std::string& run, const StepJob& job,
               const LocalStore& store) {
  const SentReport report(packed);
  return made_in_pod(report, job, [&](const Output& output) {
    return report.made(output, store.output_path(run, job.step->name, job.attempt, output.name), store);
  });
}

Json read_sent(const std::string& packed, const StepJob& job, const PlaceOf& place_of) {
  const SentReport report(packed);
  return made_in_pod(report, job, [&](const Output& output) { return report.told(output, place_of); });
}

}  // namespace kml::pipeline
