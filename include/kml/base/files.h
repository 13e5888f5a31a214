#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace kml {

/// Owns a file descriptor.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Fd();

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

/// Reads the whole file. Throws Error if it cannot be read, or is larger than `limit` bytes.
std::string read_file(const std::filesystem::path& path, size_t limit = size_t{64} << 20);
/// Like read_file(), but empty if the file does not exist.
std::optional<std::string> read_file_if_exists(const std::filesystem::path& path,
                                               size_t limit = size_t{64} << 20);

/// Reads a complete file whose content kml will obey. Throws usage Error if another user owns it, because
/// others could then control kml. If the path is a symbolic link, the effective user must own both the file
/// and the link. Root may also read a file of the user who called sudo.
std::string read_own_file(const std::filesystem::path& path, size_t limit = size_t{64} << 20);

/// Writes all bytes. A single write(2) may write only some of them, or none after a signal. On failure,
/// returns false and sets errno.
bool write_whole(int fd, std::string_view bytes);
/// Like write_whole(), but throws Error with the path.
void write_all(int fd, std::string_view bytes, const std::filesystem::path& path);

/// Replaces the file atomically: readers see either the old or the new text, even after a crash. Writes a
/// temporary file, syncs it, renames it and syncs the folder. `mode` is as in open(2), so the umask limits
/// it.
void write_file_atomically(const std::filesystem::path& path, std::string_view text, int mode = 0600);

/// Waits for the exclusive lock (flock) of an open file. A signal does not end the wait. Throws Error.
void lock_exclusively(const Fd& file, const std::filesystem::path& path);

/// Appends after_torn_line() of the text under an exclusive lock, and syncs it; if that fails, removes it
/// again. If the file does not exist, creates it with mode 0600.
void append_durably(const std::filesystem::path& path, std::string_view text);

/// The text to append to `file`, which must be open for reading and locked. If a crash has cut the file's
/// last line, this is `text` after a newline, because `text` would otherwise continue the cut line.
std::string after_torn_line(int file, std::string_view text);

/// Creates the folder and its missing parents with mode 0700.
void make_private_folder(const std::filesystem::path& path);

/// Turns an untrusted name into a single component of a path. '/', '%' and control characters become %XX, and
/// so do the dots of "." and "..". An empty name becomes "%". A result longer than `most` bytes is shortened
/// and ends with the digest of the name. Shorter names of Kubernetes objects are unchanged.
std::string path_component(std::string_view name, size_t most = 255);

/// Looks for a file `name` in the folder `from`, then in each parent folder.
std::optional<std::filesystem::path> find_upwards(const std::filesystem::path& from, std::string_view name);

/// The folder with kml's records and the embedded server's store: $KML_STATE_DIR, $XDG_STATE_HOME/kml, or
/// ~/.local/state/kml.
std::filesystem::path state_folder();
/// The folder with the user's configuration and templates: $XDG_CONFIG_HOME/kml or ~/.config/kml.
std::filesystem::path config_folder();

/// The value of an environment variable; empty if it is not set.
std::string environment(const char* name);

}  // namespace kml
