#include "kml/spec/trust.h"

#include <sstream>

#include "kml/core/files.h"
#include "kml/core/sha256.h"

namespace fs = std::filesystem;

namespace kml::spec {

namespace {

constexpr std::string_view kRevoked = "-";
constexpr std::string_view kBetween = "  ";

/// One name for a file, however its folder was reached. The file may be gone.
std::string recorded_path(const fs::path& file) {
  const fs::path whole = fs::absolute(file).lexically_normal();
  return (fs::weakly_canonical(whole.parent_path()) / whole.filename()).string();
}

void append_record(const fs::path& records, std::string_view sum, const std::string& path) {
  make_private_folder(records.parent_path());
  append_durably(records, std::string(sum) + std::string(kBetween) + path + "\n");
}

}  // namespace

std::map<std::string, std::string> TrustRecords::all() const {
  std::map<std::string, std::string> sums;
  std::istringstream lines(read_file_if_exists(records_).value_or(""));
  for (std::string line; std::getline(lines, line);) {
    const size_t between = line.find(kBetween);
    if (between == std::string::npos) continue;
    const std::string path = line.substr(between + kBetween.size());
    if (line.compare(0, between, kRevoked) == 0)
      sums.erase(path);
    else
      sums[path] = line.substr(0, between);
  }
  return sums;
}

TrustRecords::State TrustRecords::state_of(const fs::path& file, std::string_view text) const {
  const auto sums = all();
  const auto found = sums.find(recorded_path(file));
  if (found == sums.end()) return State::unknown;
  return found->second == sha256_hex(text) ? State::trusted : State::changed;
}

void TrustRecords::trust(const fs::path& file, std::string_view text) {
  const std::string path = recorded_path(file);
  if (path.find('\n') != std::string::npos)
    throw usage_error("cannot trust " + path, "its path has a line break", "rename the folder");
  append_record(records_, sha256_hex(text), path);
}

void TrustRecords::revoke(const fs::path& file) {
  const std::string path = recorded_path(file);
  if (!all().contains(path)) throw usage_error(path + " is not trusted", "", "see kml trust --list");
  append_record(records_, kRevoked, path);
}

TrustRecords trust_records() {
  return TrustRecords(state_folder() / "trusted");
}

}  // namespace kml::spec
