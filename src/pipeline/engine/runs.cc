#include "kml/pipeline/engine/runs.h"

#include <algorithm>
#include <fstream>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/suggestion.h"
#include "kml/base/text.h"
#include "kml/engine/journal/journal.h"
#include "pipeline/file/parse_pipeline.h"

namespace kml::pipeline {

namespace fs = std::filesystem;

fs::path runs_folder() {
  return state_folder() / "runs";
}

fs::path run_folder(const std::string& run) {
  return runs_folder() / path_component(run);
}

fs::path stop_file(const std::string& run) {
  return run_folder(run) / "stop";
}

bool has_run(const std::string& run) {
  return engine::has_begun(run_folder(run));
}

std::vector<std::string> run_names() {
  std::vector<std::string> names;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(runs_folder(), none))
    if (engine::has_begun(entry.path())) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

bool is_ended(const std::string& run) {
  constexpr std::streamoff kLongestEnd = 1024;
  std::ifstream journal(run_folder(run) / "journal.jsonl", std::ios::binary | std::ios::ate);
  journal.seekg(std::max<std::streamoff>(journal.tellg() - kLongestEnd, 0));
  std::string line, last;
  while (std::getline(journal, line)) last = line;
  return is_end(Json::parse(last, nullptr, false));
}

RunState read_run(const std::string& run) {
  RunState state;
  const TakeRecord take = [&](const Record& record) { state.apply(record); };
  const bool is_there = engine::read_journal(run_folder(run), engine::as_records(take));
  if (!is_there || state.is_empty())
    throw usage_error("no run \"" + run + "\"", "",
                      suggestion(run, run_names(), "`kml run list` lists the runs"));
  return state;
}

Pipeline pipeline_of(const RunState& run) {
  const record::Run& head = run.head();
  return restricted(expanded(parse_pipeline(head.text, head.file), head.params, run.items()), head.until);
}

Journal open_run(const std::string& run, const std::string& owner) {
  return Journal(run_folder(run), owner,
                 {"run " + run, "`kml run status " + run + "` shows it, `kml run stop " + run + "` ends it",
                  "`kml run resume " + run + "` then continues the run"});
}

bool is_left(const RunState& run) {
  return !run.end() && !engine::writer_of(run_folder(run.name()));
}

}  // namespace kml::pipeline
