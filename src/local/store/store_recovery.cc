#include "local/store/store_recovery.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "kml/base/error.h"
#include "kml/base/json.h"
#include "kml/base/sqlite.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/resource.h"
#include "local/store/object.h"
#include "local/store/store.h"
#include "local/store/store_files.h"

namespace kml::local {

namespace {

// At most this many of the rows between two damaged pages are read, one by one.
constexpr int64_t kMostSingleRows = 1'000'000;

using TakeRow = std::function<void(std::string_view object)>;

/// Reads rows in the given order until a row cannot be read. Returns the number of the last row that was
/// read.
std::optional<int64_t> read_rows(sqlite::Database& database, const std::string& order, const TakeRow& take) {
  std::optional<int64_t> last;
  try {
    sqlite::Statement rows =
        database.prepare("SELECT rowid, object FROM objects NOT INDEXED ORDER BY rowid " + order);
    while (rows.step()) {
      last = rows.number(0);
      take(rows.text(1));
    }
  } catch (const Error&) {
  }
  return last;
}

/// Reads the rows from both ends, then the rows between two damaged pages one by one.
void read_all_rows(sqlite::Database& database, const TakeRow& take) {
  const auto first_stop = read_rows(database, "ASC", take), last_stop = read_rows(database, "DESC", take);
  const int64_t from = first_stop.value_or(0) + 1;
  const int64_t to = std::min(last_stop.value_or(from + 10'000), from + kMostSingleRows);
  for (int64_t row = from; row < to; ++row) try {
      sqlite::Statement one =
          database.prepare("SELECT object FROM objects NOT INDEXED WHERE rowid = " + std::to_string(row));
      if (one.step()) take(one.text(0));
    } catch (const Error&) {
    }
}

std::optional<Json> object_in(std::string_view text) {
  Json object = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  const bool is_whole = object.is_object() && api::kind_of(object) && !name_of(object).empty();
  return is_whole ? std::optional(std::move(object)) : std::nullopt;
}

int64_t stored_revision(sqlite::Database& database) {
  try {
    return database.number("SELECT value FROM revision");
  } catch (const Error&) {
    return 0;
  }
}

size_t broken_rows(sqlite::Database& database) {
  size_t broken = 0;
  sqlite::Statement rows = database.prepare("SELECT object FROM objects");
  while (rows.step()) broken += object_in(rows.text(0)) ? 0 : 1;
  return broken;
}

/// Whether the store has the tables and rows of this version of kml.
bool has_own_tables(sqlite::Database& database) try {
  constexpr const char* kOthers =
      "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name NOT IN ('objects', 'revision')";
  return database.number(kOthers) == 0 && database.number("SELECT count(value) FROM revision") == 1 &&
         broken_rows(database) == 0;
} catch (const Error&) {
  return false;
}

/// The damage of a store whose number is not kStoreFormat; empty for a new store. Throws Error if another
/// version of kml has probably created the store.
std::string damage_of_format(sqlite::Database& database, const std::filesystem::path& file, int64_t format) {
  if (format == 0 && database.number("SELECT count(*) FROM sqlite_master") == 0) return {};
  if (has_own_tables(database))
    return fmt::format("its format number is {} instead of {}, but its tables are those of format {}", format,
                       kStoreFormat, kStoreFormat);
  throw Error(ErrorCode::usage, "cannot check the state in " + file.string(),
              fmt::format("its format is {}, but this kml uses format {}", format, kStoreFormat),
              "use the version of kml that created it");
}

/// A copy of the store with headers that SQLite can read. The damaged files are not changed.
class ReadableCopy {
 public:
  ReadableCopy(const std::filesystem::path& damaged, std::filesystem::path copy) : copy_(std::move(copy)) {
    remove();
    for (const char* ending : {"", "-wal"})
      if (std::error_code failure; std::filesystem::is_regular_file(damaged.string() + ending, failure))
        std::filesystem::copy_file(damaged.string() + ending, copy_.string() + ending);
    restore_headers(copy_);
  }
  ~ReadableCopy() { remove(); }
  ReadableCopy(const ReadableCopy&) = delete;
  ReadableCopy& operator=(const ReadableCopy&) = delete;

  const std::filesystem::path& path() const { return copy_; }

 private:
  void remove() const {
    std::error_code ignored;
    for (const char* ending : {"", "-wal"}) std::filesystem::remove(copy_.string() + ending, ignored);
  }

  std::filesystem::path copy_;
};

}  // namespace

std::string damage_of_store(const std::filesystem::path& file) {
  if (std::string damage = damage_of_files(file); !damage.empty()) return damage;
  if (!std::filesystem::exists(file)) return {};
  try {
    sqlite::Database database(file);
    if (const int64_t format = database.number("PRAGMA user_version"); format != kStoreFormat)
      return damage_of_format(database, file, format);
    sqlite::Statement check = database.prepare("PRAGMA integrity_check(1)");
    if (check.step() && check.text(0) != "ok") return std::string(check.text(0));
    const size_t broken = broken_rows(database);
    return broken == 0 ? "" : fmt::format("{} of its objects cannot be read", broken);
  } catch (const Error& error) {
    if (error.code == ErrorCode::usage || error.reason == "InsufficientStorage") throw;
    return error.why;
  }
}

RecoveredStore recover_store(const std::filesystem::path& damaged, const std::filesystem::path& fresh) {
  RecoveredStore recovered;
  sqlite::Database target(fresh);
  target.execute(kMakeTables);
  int64_t revision = 0;
  sqlite::Statement put = target.prepare(kPutObject);
  const auto take = [&](std::string_view text) {
    const std::optional<Json> object = object_in(text);
    if (!object) return;
    const api::ResourceKind& kind = *api::kind_of(*object);
    put.bind(1, kind.api_version() + " " + std::string(kind.kind))
        .bind(2, namespace_of(*object) + '\0' + name_of(*object))
        .bind(3, text)
        .run();
    revision = std::max(revision, revision_number(*object));
    if (kind.kind == "Pod") recovered.pods.insert(uid_of(*object));
  };
  target.transaction([&] {
    try {
      const ReadableCopy copy(damaged, fresh.string() + ".source");
      sqlite::Database source(copy.path());
      revision = stored_revision(source);
      read_all_rows(source, take);
    } catch (const Error& error) {
      if (error.reason == "InsufficientStorage") throw;
      // The file is no longer even a database.
    }
    target.prepare(kSetRevision).bind(1, revision).run();
  });
  recovered.objects = static_cast<size_t>(target.number("SELECT count(*) FROM objects"));
  return recovered;
}

}  // namespace kml::local
