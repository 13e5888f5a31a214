#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "kml/base/error.h"

struct sqlite3;
struct sqlite3_stmt;

namespace kml::sqlite {

/// The Error for a full disk. It names the database file, and has the reason "InsufficientStorage" and the
/// HTTP status 507.
Error disk_full(const std::filesystem::path& file, const std::string& problem);

/// A prepared statement, which can be run many times. As in SQLite, parameters start from 1 and columns from
/// 0.
class Statement {
 public:
  Statement& bind(int parameter, std::string_view text);
  Statement& bind(int parameter, int64_t number);

  /// Returns whether there is a row. Throws Error on failure.
  bool step();
  /// Runs the statement to its end. Resets it for the next use, even on failure.
  void run();

  /// The results of both functions are valid until the next step().
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

/// The only connection to a database file; no other process can open the file at the same time. Only one
/// thread may use it. The file and its journal have the mode 0600. The journal is a write-ahead log. If the
/// process is killed, no committed transaction is lost. A power failure may lose transactions since the last
/// sync(), but the file remains consistent. If the disk is full, Errors have the reason "InsufficientStorage"
/// and the HTTP status 507.
class Database {
 public:
  explicit Database(const std::filesystem::path& file);

  Statement prepare(std::string_view sql);
  void execute(const std::string& sql);
  int64_t number(std::string_view sql);

  /// Runs `write` in a transaction, which is rolled back if `write` throws.
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

  /// Whether all transactions would survive a power failure.
  bool is_synced() const { return is_synced_; }
  /// Syncs the journal once, which makes all transactions durable. If this throws Error, it is unknown which
  /// transactions are on disk.
  void sync();
  /// Moves the complete journal into the file, so that later transactions can reuse the journal's space.
  /// Returns false on failure, for example if the disk is full; in that case, no data is lost.
  bool reuse_journal();
  /// Moves the complete journal into the file, and empties the journal. Afterwards, neither contains deleted
  /// or replaced data, because SQLite overwrites it with zeros (secure_delete). Returns false on failure; in
  /// that case, no data is lost.
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
