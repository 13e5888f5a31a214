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

/// The whole file. Throws Error if it cannot be read, or is larger than `limit` bytes.
std::string read_file(const std::filesystem::path& path, size_t limit = size_t{64} << 20);
/// The same, empty if there is no such file.
std::optional<std::string> read_file_if_exists(const std::filesystem::path& path,
                                               size_t limit = size_t{64} << 20);

/// The whole file, where it (and the link that leads to it) belongs to the effective user; for root, also
/// where it belongs to the user who called sudo. Throws usage Error if it is another user's: what others
/// can write is not obeyed.
std::string read_own_file(const std::filesystem::path& path, size_t limit = size_t{64} << 20);

/// Replaces the file so that a reader or a crash sees the old text or the new one, never a mixture
/// (temporary file, fsync, rename, fsync of the folder). `mode` as in chmod.
void write_file_atomically(const std::filesystem::path& path, std::string_view text, int mode = 0600);

/// Appends the text in one write under an exclusive lock, and syncs it. Makes the file with mode 0600 where
/// needed.
void append_durably(const std::filesystem::path& path, std::string_view text);

/// Lines as they are to be appended to a file that is open for reading and locked: after a newline where a
/// crash cut its last line off, which would be glued to them.
std::string after_torn_line(int file, std::string_view text);

/// Makes the folder and its parents, mode 0700.
void make_private_folder(const std::filesystem::path& path);

/// The name as one component of a path, whoever chose it. '/', '%' and control characters become %XX, and so
/// do the dots of "." and ".."; an empty name becomes "%". One that is then longer than `most` bytes is cut
/// and ends in its digest. Names of Kubernetes objects stay as they are.
std::string path_component(std::string_view name, size_t most = 255);

/// The nearest `name` in `from` or a folder above it.
std::optional<std::filesystem::path> find_upwards(const std::filesystem::path& from, std::string_view name);

/// $KML_STATE_DIR, else $XDG_STATE_HOME/kml, else ~/.local/state/kml: records and the embedded server's
/// store.
std::filesystem::path state_folder();
/// $XDG_CONFIG_HOME/kml, else ~/.config/kml: the user's own configuration and templates.
std::filesystem::path config_folder();

/// The environment variable, empty if it is unset or empty.
std::string environment(const char* name);

}  // namespace kml
