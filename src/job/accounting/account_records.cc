#include "kml/job/accounting/account_records.h"

#include "job/records/record_lines.h"
#include "kml/base/damage.h"
#include "kml/base/files.h"
#include "kml/base/text.h"

namespace kml::job {

AccountRecords AccountRecords::of_user() {
  return AccountRecords(state_folder() / "gpu_time.jsonl");
}

void AccountRecords::add(const std::vector<JobAccount>& accounts) const {
  if (accounts.empty()) return;
  std::string lines;
  for (const JobAccount& account : accounts) lines += compact_text(to_json(account)) + "\n";
  make_private_folder(file_.parent_path());
  append_durably(file_, lines);
}

std::map<std::string, JobAccount> AccountRecords::read(const IsWanted& is_wanted) const {
  constexpr size_t kLargest = size_t{1} << 30;
  std::map<std::string, JobAccount> found;
  size_t number = 0;
  each_text(read_file_if_exists(file_, kLargest).value_or(""), [&](std::string_view line) {
    ++number;
    if (is_wanted && is_whole_line(line) && !is_wanted(own_text(line, "\"key\":\""))) return;
    const Json json = Json::parse(line, nullptr, false);
    if (!json.is_object()) return note_damage(file_, number);
    JobAccount account = account_from_json(json);
    if (!account.key.empty()) found.insert_or_assign(account.key, std::move(account));
  });
  return found;
}

}  // namespace kml::job
