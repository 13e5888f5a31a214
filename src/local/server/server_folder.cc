#include "local/server/server_folder.h"

#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/json.h"
#include "kml/base/text.h"
#include "kml/base/yaml.h"
#include "local/store/store.h"

namespace kml::local {

namespace fs = std::filesystem;

namespace {

// The bytes in the lock file that a server locks: one while it is alive, the other while it accepts requests.
enum LockByte : off_t { kAlive = 0, kReady = 1 };

struct flock byte_lock(LockByte byte) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_start = byte;
  lock.l_len = 1;
  return lock;
}

int holder_of(const ServerFolder& folder, LockByte byte) {
  Fd file(::open(folder.lock().c_str(), O_RDWR | O_CLOEXEC));
  struct flock lock = byte_lock(byte);
  if (!file || ::fcntl(file.get(), F_GETLK, &lock) != 0 || lock.l_type == F_UNLCK) return 0;
  return lock.l_pid > 0 ? lock.l_pid : kServerOutside;
}

}  // namespace

ServerFolder server_folder(const fs::path& asked) {
  ServerFolder folder{fs::absolute(asked.empty() ? state_folder() / "local" : asked).lexically_normal()};
  // Checked before the folder is used in any other way, because a folder of another user cannot be entered.
  struct stat status {};
  const bool is_closed = ::stat((folder.path / ".").c_str(), &status) != 0 && errno == EACCES;
  if (is_closed)
    throw Error(ErrorCode::failure, "cannot use the folder " + folder.path.string(),
                "you have no permission to enter it or a folder above it",
                "set KML_STATE_DIR to a folder that you own");
  return folder;
}

void make_server_folder(const ServerFolder& folder) {
  make_private_folder(folder.path);
  struct stat status {};
  if (::stat(folder.path.c_str(), &status) != 0)
    throw system_error("cannot use the folder " + folder.path.string(), errno);
  if (status.st_uid != ::geteuid())
    throw Error(ErrorCode::failure, "cannot use the folder " + folder.path.string(),
                "it belongs to another user", "set KML_STATE_DIR to a folder that you own");
  if ((status.st_mode & 0077) != 0 && ::chmod(folder.path.c_str(), 0700) != 0)
    throw system_error("cannot make the folder " + folder.path.string() + " private", errno);
}

std::optional<Fd> take_server_lock(const ServerFolder& folder) {
  Fd file(::open(folder.lock().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!file) throw system_error("cannot open " + folder.lock().string(), errno);
  struct flock lock = byte_lock(kAlive);
  if (::fcntl(file.get(), F_SETLK, &lock) == 0) return file;
  if (errno == EACCES || errno == EAGAIN) return std::nullopt;
  throw system_error("cannot lock " + folder.lock().string(), errno);
}

int server_lock_holder(const ServerFolder& folder) {
  return holder_of(folder, kAlive);
}

void mark_ready(const Fd& file) {
  struct flock lock = byte_lock(kReady);
  if (::fcntl(file.get(), F_SETLK, &lock) != 0)
    throw system_error("cannot lock the server's lock file", errno);
}

void mark_stopping(const Fd& file) {
  struct flock lock = byte_lock(kReady);
  lock.l_type = F_UNLCK;
  ::fcntl(file.get(), F_SETLK, &lock);
}

bool is_ready(const ServerFolder& folder, int pid) {
  return holder_of(folder, kReady) == pid;
}

Credentials read_credentials(const ServerFolder& folder) try {
  const std::string what = "cannot use the identity in " + folder.identity().string();
  const std::string text = read_file(folder.identity());
  if (text.empty()) throw Error(ErrorCode::failure, what, "the file is empty");
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  const auto value = [&](const char* name, std::string_view part) {
    std::string found = string_at(json, {name});
    if (found.find(part) == std::string::npos || found.empty())
      throw Error(ErrorCode::failure, what, std::string("it has no ") + name);
    return found;
  };
  return {{value("key", "PRIVATE KEY"), value("certificate", "BEGIN CERTIFICATE")}, value("token", "")};
} catch (Error& error) {
  error.fix = kRepair;
  throw;
}

Credentials load_or_make_credentials(const ServerFolder& folder) {
  if (std::filesystem::exists(std::filesystem::symlink_status(folder.identity())))
    return read_credentials(folder);
  Credentials made{new_identity(), random_hex(32)};
  const Json json = {
      {"key", made.identity.key}, {"certificate", made.identity.certificate}, {"token", made.token}};
  write_file_atomically(folder.identity(), json.dump(2) + "\n");
  return made;
}

std::string user_name() {
  if (const passwd* entry = ::getpwuid(::geteuid())) return entry->pw_name;
  const std::string name = environment("USER");
  return name.empty() ? "user-" + std::to_string(::geteuid()) : name;
}

void write_kubeconfig(const ServerFolder& folder, const Credentials& credentials, int port) {
  const std::string user = user_name();
  const Json cluster = {{"server", "https://127.0.0.1:" + std::to_string(port)},
                        {"certificate-authority-data", base64_encoded(credentials.identity.certificate)}};
  const Json context = {{"cluster", "local"}, {"user", user}, {"namespace", "default"}};
  const Json config = {
      {"apiVersion", "v1"},
      {"kind", "Config"},
      {"current-context", "local"},
      {"clusters", Json::array({Json{{"name", "local"}, {"cluster", cluster}}})},
      {"contexts", Json::array({Json{{"name", "local"}, {"context", context}}})},
      {"users", Json::array({Json{{"name", user}, {"user", Json{{"token", credentials.token}}}}})},
  };
  const std::string text = yaml::to_yaml(config);
  if (read_file_if_exists(folder.kubeconfig()) != text) write_file_atomically(folder.kubeconfig(), text);
}

std::string url_in_kubeconfig(const ServerFolder& folder) {
  const auto text = read_file_if_exists(folder.kubeconfig());
  if (!text) return {};
  const std::string source = folder.kubeconfig().string();
  try {
    const Json config = yaml::to_json(yaml::parse_one(*text, source), source);
    const Json& clusters = array_at(config, {"clusters"});
    return clusters.empty() ? std::string() : string_at(clusters[0], {"cluster", "server"});
  } catch (const Error&) {
    return {};  // the next server writes a new file
  }
}

}  // namespace kml::local
