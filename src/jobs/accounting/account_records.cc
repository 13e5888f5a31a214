#include "kml/jobs/accounting/account_records.h"

#include "kml/core/files.h"
#include "kml/core/text.h"

namespace kml::jobs {

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

namespace {

/// The account's key, without parsing the line: in a text of JSON, the quotes of the mark would be escaped.
std::string_view key_in(std::string_view line) {
  constexpr std::string_view kMark = "\"key\":\"";
  const size_t at = line.find(kMark);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = line.substr(at + kMark.size());
  return rest.substr(0, rest.find('"'));
}

}  // namespace

std::map<std::string, JobAccount> AccountRecords::read(const IsWanted& is_wanted) const {
  constexpr size_t kLargest = size_t{1} << 30;
  std::map<std::string, JobAccount> found;
  for (const std::string& line : split(read_file_if_exists(file_, kLargest).value_or(""), '\n')) {
    if (is_wanted && !is_wanted(key_in(line))) continue;
    const Json json = Json::parse(line, nullptr, false);
    if (!json.is_object()) continue;
    JobAccount account = account_from_json(json);
    if (!account.key.empty()) found.insert_or_assign(account.key, std::move(account));
  }
  return found;
}

}  // namespace kml::jobs
