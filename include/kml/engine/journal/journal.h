#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "kml/base/clock.h"
#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/json.h"

namespace kml::engine {

using TakeLine = std::function<void(const Json& line)>;

/// Words for error messages: what the journal belongs to, and how to fix errors.
struct JournalWords {
  std::string what;  ///< the owner, such as "sweep lr1"; the message adds " is already running"
  /// the fix if another process is running the owner of the journal, such as "`kml sweep attach lr1` shows
  /// it"
  std::string while_running;
  /// the fix if the disk is full, such as "`kml sweep resume` then continues the sweep"
  std::string go_on;
};

/// The file `journal.jsonl` in a folder. Each line is a JSON object that records a decision; lines are in the
/// order of the decisions. Only the process that holds the lock on the file `lock` next to it may write it.
/// Any process may read it.
class Journal {
 public:
  /// Opens the journal for writing, and creates it if it does not exist. Removes an incomplete last line that
  /// a crash has left. `owner` is what writer_of() returns for this process. Throws Error, which names the
  /// process, if another process has the journal open.
  Journal(const std::filesystem::path& folder, const std::string& owner, const JournalWords& words);

  /// Reads the existing lines.
  void read(const TakeLine& take) const;
  /// Adds a line. The line is durable after commit().
  void add(const Json& line);
  /// Call this before the last lines are added. If the disk is full, these lines then use the space that was
  /// reserved for them.
  void use_last_space() { is_ending_ = true; }
  /// Writes the added lines, so that readers can see them. If the disk is full, throws Error and writes none
  /// of them.
  void flush();
  /// Like flush(), but also syncs the file, so that the lines survive a crash of the machine.
  void commit();

  /// Records that the owner is alive, at most once a second. Readers call last_sign_of_life().
  void show_life(const Clock& clock);
  /// When the previous owner was last alive; empty if there was none.
  std::optional<Time> last_sign_of_life() const { return last_sign_; }

 private:
  void lock(const std::filesystem::path& file, const JournalWords& words);
  void note_owner(const std::string& owner);
  void open_at_last_whole_line();
  void leave_space(uint64_t size);
  Error cannot_write(int why);
  std::string when_full() const { return "free some space; " + go_on_; }

  std::filesystem::path file_;
  std::string go_on_;
  Fd lock_, out_;
  std::string pending_;
  std::optional<Time> last_sign_;
  std::chrono::steady_clock::time_point shown_{};
  bool is_synced_ = true, is_ending_ = false;
  uint64_t kept_ = 0;  ///< how many bytes of disk space are reserved for this file
};

/// Reads the lines of the journal in a folder. Returns false if it does not exist. Leaves out an incomplete
/// last line. Throws Error if a line is not a JSON object.
[[nodiscard]] bool read_journal(const std::filesystem::path& folder, const TakeLine& take);

/// Follows a journal while another process adds to it.
class JournalTail {
 public:
  /// Throws Error if there is no journal.
  explicit JournalTail(const std::filesystem::path& folder);
  /// Reads the lines that were added since the last call. Returns false if the journal was removed or
  /// replaced.
  bool read(const TakeLine& take);

 private:
  std::filesystem::path file_;
  Fd in_;
  long long done_ = 0;
  size_t lines_ = 0;
};

/// The `owner` of the process that has the journal open for writing; empty if there is no such process.
std::optional<std::string> writer_of(const std::filesystem::path& folder);

/// Whether the journal in the folder has a line. Also true if the journal cannot be read: the caller then
/// reads it, and gets the error. A journal that has no complete line, and that no process is writing, is
/// recorded as damaged; see note_damage().
bool has_begun(const std::filesystem::path& folder);

/// When an owner was last alive; empty if there was none.
std::optional<Time> last_sign_of_life(const std::filesystem::path& folder);

/// Reads the lines in the text of a complete journal. `source` is its name in errors.
void read_lines(const std::string& text, const std::string& source, const TakeLine& take);

}  // namespace kml::engine
