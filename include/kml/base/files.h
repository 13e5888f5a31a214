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
/// Like read_file(); empty if the file does not exist.
std::optional<std::string> read_file_if_exists(const std::filesystem::path& path,
                                               size_t limit = size_t{64} << 20);

/// Reads the whole file. If the path is a symbolic link, the effective user must own both the file and the
/// link. Root may also read a file of the user who called sudo. Throws usage Error if another user owns it,
/// because kml must not obey files that others can write.
std::string read_own_file(const std::filesystem::path& path, size_t limit = size_t{64} << 20);

/// Writes all bytes, as write(2) may take only some of them, or none after a signal. Returns false with errno
/// set if it cannot.
bool write_whole(int fd, std::string_view bytes);
/// The same, but throws Error, which names the path.
void write_all(int fd, std::string_view bytes, const std::filesystem::path& path);

/// Replaces the file atomically: readers see the old text or the new one, even after a crash. Writes a
/// temporary file, syncs it, renames it and syncs the folder. `mode` is as in chmod.
void write_file_atomically(const std::filesystem::path& path, std::string_view text, int mode = 0600);

/// Appends the text in one write under an exclusive lock, and syncs it. Creates the file with mode 0600 if
/// needed.
void append_durably(const std::filesystem::path& path, std::string_view text);

/// Returns the lines to append to `file`, which must be open for reading and locked. The result starts with a
/// newline if a crash cut off the file's last line; otherwise the new lines would continue that line.
std::string after_torn_line(int file, std::string_view text);

/// Creates the folder and its missing parents with mode 0700.
void make_private_folder(const std::filesystem::path& path);

/// Turns an untrusted name into one path component. '/', '%' and control characters become %XX, as do the
/// dots of "." and ".."; an empty name becomes "%". A result longer than `most` bytes is cut and ends in its
/// digest. Names of Kubernetes objects do not change.
std::string path_component(std::string_view name, size_t most = 255);

/// Looks for `name` in `from`, then in each parent folder.
std::optional<std::filesystem::path> find_upwards(const std::filesystem::path& from, std::string_view name);

/// The folder of kml's records and the embedded server's store: $KML_STATE_DIR, $XDG_STATE_HOME/kml, or
/// ~/.local/state/kml.
std::filesystem::path state_folder();
/// The folder of the user's configuration and templates: $XDG_CONFIG_HOME/kml or ~/.config/kml.
std::filesystem::path config_folder();

/// The value of the environment variable; empty if it is unset or empty.
std::string environment(const char* name);

}  // namespace kml
