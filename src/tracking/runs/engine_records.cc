#include "tracking/runs/engine_records.h"

#include <system_error>

#include "kml/base/damage.h"
#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/json_fields.h"
#include "kml/base/text.h"
#include "kml/engine/journal/journal.h"
#include "kml/pipeline/journal/journal.h"
#include "kml/sweep/journal/journal.h"

namespace kml::tracking {

namespace {

namespace fs = std::filesystem;

constexpr std::tuple kEngineRecordFields = {
    JsonField{"id", &EngineRecord::id},           JsonField{"kind", &EngineRecord::kind},
    JsonField{"name", &EngineRecord::name},       JsonField{"user", &EngineRecord::user},
    JsonField{"context", &EngineRecord::context}, JsonField{"namespace", &EngineRecord::namespace_name},
    JsonField{"version", &EngineRecord::version}};

constexpr std::string_view kExtension = ".jsonl";

std::string source_of(const EngineRecord& record) {
  return "the record of " + record.kind + " " + record.name;
}

}  // namespace

sweep::SweepState EngineRecord::sweep() const {
  sweep::SweepState state;
  sweep::read_records(journal, source_of(*this), [&](const sweep::Record& line) { state.apply(line); });
  return state;
}

pipeline::RunState EngineRecord::run() const {
  pipeline::RunState state;
  const pipeline::TakeRecord take = [&](const pipeline::Record& record) { state.apply(record); };
  engine::read_lines(journal, source_of(*this), engine::as_records(take));
  return state;
}

bool is_ended(const EngineRecord& record) {
  const std::string_view text = trim(record.journal);
  const Json last = Json::parse(text.substr(text.rfind('\n') + 1), nullptr, false);
  return record.kind == "sweep" ? sweep::is_end(last) : pipeline::is_end(last);
}

EngineRecords EngineRecords::of_user() {
  return EngineRecords(state_folder() / "engines");
}

void EngineRecords::write(const EngineRecord& record) const {
  make_private_folder(folder_);
  write_file_atomically(folder_ / (path_component(record.id) + std::string(kExtension)),
                        compact_text(fields_to_json(record, kEngineRecordFields)) + "\n" + record.journal);
}

std::optional<EngineRecord> EngineRecords::read(const std::string& id) const try {
  constexpr size_t kLargest = size_t{1} << 30;
  const fs::path file = folder_ / (path_component(id) + std::string(kExtension));
  const std::string text = read_file_if_exists(file, kLargest).value_or("");
  const size_t end = text.find('\n');
  const Json head = Json::parse(text.substr(0, end), nullptr, false);
  if (text.empty() || !head.is_object()) {
    if (fs::exists(file)) note_damage(file, 1);
    return {};
  }
  EngineRecord record;
  read_fields(head, record, kEngineRecordFields);
  record.journal = text.substr(end + 1);
  return record;
} catch (const Error&) {
  return {};
}

std::vector<EngineRecord> EngineRecords::read_all() const {
  std::vector<EngineRecord> records;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, ignored))
    if (entry.path().extension() == kExtension)
      if (auto record = read(entry.path().stem())) records.push_back(*std::move(record));
  return records;
}

TrackedRun tracked_engine(const EngineRecord& record, const job::RunNotes& notes) {
  TrackedRun tracked = record.kind == "sweep" ? tracked_sweep(record.sweep(), notes)
                                              : tracked_pipeline(record.run(), notes, {}, notes);
  tracked.id = record.id;
  tracked.target = record.context + "/" + record.namespace_name;
  tracked.user = record.user;
  return tracked;
}

}  // namespace kml::tracking
