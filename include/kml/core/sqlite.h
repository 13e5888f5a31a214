#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace kml::sqlite {

/// A prepared statement, used again and again. Parameters and columns count from 1 and 0, as in SQLite.
class Statement {
 public:
  Statement& bind(int parameter, std::string_view text);
  Statement& bind(int parameter, int64_t number);

  /// True if there is a row to read. Throws Error.
  bool step();
  /// Runs it to its end and makes it ready for the next use, also where it fails.
  void run();

  /// Both are valid until the next step().
  std::string_view text(int column) const;
  int64_t number(int column) const;

 private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}

  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

/// One connection to a database file, for one thread, that no other process may open meanwhile. The file and
/// its journal have mode 0600. Its journal is a write-ahead log: a killed process loses nothing that was
/// committed; a power failure may lose the transactions since the last sync(), never the file's consistency.
/// Errors carry the reason "InsufficientStorage" and HTTP status 507 where the disk is full.
class Database {
 public:
  explicit Database(const std::filesystem::path& file);

  Statement prepare(std::string_view sql);
  void execute(const std::string& sql);
  int64_t number(std::string_view sql);

  /// Runs `write` in a transaction; whatever it throws undoes it.
  template <typename Write>
  void transaction(Write write) {
    execute("BEGIN IMMEDIATE");
    try {
      write();
      execute("COMMIT");
      is_synced_ = false;
    } catch (...) {
      roll_back();
      throw;
    }
  }

  /// Whether all transactions would outlive a power failure.
  bool is_synced() const { return is_synced_; }
  /// Makes it so, by one sync of the journal for all of them. After an Error nobody knows what is on the
  /// disk.
  void sync();
  /// Moves all of the journal into the file, so that what was deleted or replaced is in neither: the file's
  /// free space is zeroes. False if that failed; nothing is lost then.
  bool empty_journal();

 private:
  void roll_back() noexcept;
  struct Close {
    void operator()(sqlite3* database) const;
  };

  std::unique_ptr<sqlite3, Close> database_;
  bool is_synced_ = true;
};

}  // namespace kml::sqlite
