#include "kml/base/sqlite.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <cerrno>

#include "kml/base/error.h"
#include "kml/base/files.h"

namespace kml::sqlite {

namespace {

/// If a file size limit or a quota is exceeded, SQLite reports a write error, not a full disk.
bool is_full(sqlite3* database) {
  const int code = sqlite3_extended_errcode(database);
  return (code & 0xff) == SQLITE_FULL ||
         (code == SQLITE_IOERR_WRITE && sqlite3_system_errno(database) != EIO);
}

[[noreturn]] void fail(sqlite3* database) {
  const std::string file = sqlite3_db_filename(database, "main") ? sqlite3_db_filename(database, "main") : "";
  const std::string problem = sqlite3_errmsg(database);
  if (is_full(database)) throw disk_full(file, problem);
  throw Error(ErrorCode::failure, "cannot read or write the database " + file, problem);
}

void check(sqlite3* database, int result) {
  if (result != SQLITE_OK) fail(database);
}

/// Makes the file accessible to this user only. SQLite gives new journals the same mode. Errors are ignored
/// here, because SQLite itself reports problems with the file.
void make_private(const std::filesystem::path& file) {
  const Fd made(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  for (const char* ending : {"", "-wal", "-shm"}) ::chmod((file.string() + ending).c_str(), 0600);
}

}  // namespace

Error disk_full(const std::filesystem::path& file, const std::string& problem) {
  const std::string folder = file.parent_path();
  Error error(ErrorCode::failure, "the disk of " + folder + " is full",
              "cannot write " + file.string() + ": " + problem,
              "free up space there (df -h " + folder + " shows how much is left), then try again");
  error.reason = "InsufficientStorage";
  error.http_status = 507;
  return error;
}

void Statement::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

Statement& Statement::bind(int parameter, std::string_view text) {
  check(sqlite3_db_handle(statement_.get()), sqlite3_bind_text64(statement_.get(), parameter, text.data(),
                                                                 text.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
  return *this;
}

Statement& Statement::bind(int parameter, int64_t number) {
  check(sqlite3_db_handle(statement_.get()), sqlite3_bind_int64(statement_.get(), parameter, number));
  return *this;
}

bool Statement::step() {
  int result = sqlite3_step(statement_.get());
  if (result != SQLITE_ROW && result != SQLITE_DONE) fail(sqlite3_db_handle(statement_.get()));
  return result == SQLITE_ROW;
}

void Statement::run() {
  struct Reset {
    sqlite3_stmt* statement;
    ~Reset() { sqlite3_reset(statement); }
  } reset{statement_.get()};
  while (step()) {
  }
}

std::string_view Statement::text(int column) const {
  auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  return {bytes ? bytes : "", static_cast<size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

int64_t Statement::number(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

void Database::Close::operator()(sqlite3* database) const {
  sqlite3_close(database);
}

Database::Database(const std::filesystem::path& file) {
  make_private(file);
  sqlite3* opened = nullptr;
  int result = sqlite3_open_v2(file.c_str(), &opened,
                               SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  database_.reset(opened);
  if (!opened) throw Error(ErrorCode::failure, "cannot open " + file.string(), "out of memory");
  if (result != SQLITE_OK)
    throw Error(ErrorCode::failure, "cannot open " + file.string(), sqlite3_errmsg(opened));
  // Exclusive mode is set before WAL mode, so that SQLite needs no shared memory file.
  execute(
      "PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; "
      "PRAGMA wal_autocheckpoint=256; PRAGMA secure_delete=ON");
}

Statement Database::prepare(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  check(database_.get(),
        sqlite3_prepare_v2(database_.get(), sql.data(), static_cast<int>(sql.size()), &statement, nullptr));
  return Statement(statement);
}

void Database::execute(const std::string& sql) {
  check(database_.get(), sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr));
}

void Database::sync() {
  if (is_synced_) return;
  sqlite3_file* journal = nullptr;
  check(database_.get(),
        sqlite3_file_control(database_.get(), "main", SQLITE_FCNTL_JOURNAL_POINTER, &journal));
  if (journal->pMethods->xSync(journal, SQLITE_SYNC_NORMAL | SQLITE_SYNC_DATAONLY) != SQLITE_OK)
    throw system_error(std::string("cannot sync ") + sqlite3_db_filename(database_.get(), "main"), errno);
  is_synced_ = true;
}

bool Database::reuse_journal() {
  return sqlite3_wal_checkpoint_v2(database_.get(), "main", SQLITE_CHECKPOINT_RESTART, nullptr, nullptr) ==
         SQLITE_OK;
}

bool Database::empty_journal() {
  return sqlite3_wal_checkpoint_v2(database_.get(), "main", SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr) ==
         SQLITE_OK;
}

int64_t Database::number(std::string_view sql) {
  Statement statement = prepare(sql);
  return statement.step() ? statement.number(0) : 0;
}

void Database::roll_back() noexcept {
  // After some errors SQLite has already rolled back.
  if (!sqlite3_get_autocommit(database_.get()))
    sqlite3_exec(database_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
}

}  // namespace kml::sqlite
