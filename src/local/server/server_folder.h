#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "kml/base/files.h"
#include "local/http/certificate.h"

namespace kml::local {

/// The files in a server's state folder, apart from the pods' files (pod_folder.h). All files have the mode
/// 0600, and the folder has the mode 0700.
struct ServerFolder {
  std::filesystem::path path;

  std::filesystem::path store() const { return path / "store.db"; }
  std::filesystem::path kubeconfig() const { return path / "kubeconfig"; }
  std::filesystem::path socket() const { return path / "server.sock"; }
  std::filesystem::path log() const { return path / "server.log"; }
  std::filesystem::path identity() const { return path / "identity.json"; }
  /// the options of the last server that ran in the background
  std::filesystem::path options() const { return path / "options.json"; }
  /// exists if the user has ended the last server
  std::filesystem::path ended() const { return path / "ended"; }
  /// kml itself does not read this file; it is for people and scripts
  std::filesystem::path pid() const { return path / "server.pid"; }
  /// locked while a server is alive
  std::filesystem::path lock() const { return path / "server.lock"; }
  /// locked while a server is being started
  std::filesystem::path start_lock() const { return path / "start.lock"; }
};

/// The absolute path of the requested folder, or of the default one.
ServerFolder server_folder(const std::filesystem::path& asked);

/// Creates the folder, or checks that it belongs to this user. Makes it inaccessible to other users.
void make_server_folder(const ServerFolder& folder);

/// Takes the server's lock for the lifetime of this process. Empty if another process holds it. It is a POSIX
/// lock, because the kernel reports who holds it, and a forked child does not inherit it.
std::optional<Fd> take_server_lock(const ServerFolder& folder);
/// Returned if this process cannot see the lock's holder: a pod has separate process numbers, and fcntl(2)
/// with F_GETLK then reports 0.
inline constexpr int kServerOutside = -1;
/// The process that holds the server's lock: 0 if none does, kServerOutside if this process runs in a pod and
/// cannot see it.
int server_lock_holder(const ServerFolder& folder);
/// Marks the server as ready by locking a second byte of the file. This needs no disk space.
void mark_ready(const Fd& lock);
/// Removes the mark. Call this before the server removes its socket.
void mark_stopping(const Fd& lock);
/// Whether that process has marked itself as ready.
bool is_ready(const ServerFolder& folder, int pid);

/// The certificate and the token with which clients and the server trust each other. They are created only
/// once, so that existing kubeconfig files stay valid.
struct Credentials {
  Identity identity;
  std::string token;
};
/// Throws Error if the file is missing or incomplete.
Credentials read_credentials(const ServerFolder& folder);
Credentials load_or_make_credentials(const ServerFolder& folder);

/// The name of this process's user according to the system. If the system has none, $USER, because a static
/// kml cannot look up users of sssd; otherwise "user-UID".
std::string user_name();
/// Writes the kubeconfig file if its content has changed. The context is called "local"; the user has the
/// system user's name.
void write_kubeconfig(const ServerFolder& folder, const Credentials& credentials, int port);
/// The server's URL in the kubeconfig file; empty if there is none.
std::string url_in_kubeconfig(const ServerFolder& folder);

}  // namespace kml::local
