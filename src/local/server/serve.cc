#include "local/server/serve.h"

#include <signal.h>
#include <unistd.h>

#include <charconv>

#include "kml/base/error.h"
#include "local/controllers/bootstrap.h"
#include "local/http/http_server.h"
#include "local/loop/event_loop.h"
#include "local/routes/api_server.h"
#include "local/server/disk_room.h"
#include "local/server/node.h"
#include "local/server/server_folder.h"
#include "local/server/stop_jobs.h"

namespace kml::local {

namespace {

/// The port in the existing kubeconfig file; 0 if the file does not exist.
int usual_port(const ServerFolder& folder) {
  const std::string url = url_in_kubeconfig(folder);
  const size_t colon = url.rfind(':');
  int port = 0;
  if (colon != std::string::npos) std::from_chars(url.data() + colon + 1, url.data() + url.size(), port);
  return port > 0 && port < 65536 ? port : 0;
}

/// Runs a write that is not essential. If it fails, as on a full disk, only logs the Error.
void if_there_is_room(const std::function<void()>& write) {
  try {
    write();
  } catch (const Error& error) {
    log_error(error);
  }
}

}  // namespace

int stop_jobs_signal() {
  return SIGUSR1;
}

int serve(const ServeOptions& options) {
  return serve_until_stopped(options, [] {});
}

int serve_until_stopped(const ServeOptions& options, const std::function<void()>& on_ready) {
  const ServerFolder folder = server_folder(options.folder);
  make_server_folder(folder);
  const std::optional<Fd> lock = take_server_lock(folder);
  if (!lock)
    throw Error(ErrorCode::failure, "cannot start the embedded server",
                "a server is already running for " + folder.path.string() + ", as process " +
                    std::to_string(server_lock_holder(folder)));
  ::unlink(folder.ended().c_str());
  const Credentials credentials = load_or_make_credentials(folder);

  // A client that closes its connection must not end the server.
  ::signal(SIGPIPE, SIG_IGN);
  EventLoop loop;
  Store store(folder.store(), system_clock());
  Namespaces namespaces(store, system_clock());
  create_initial_objects(store);
  ApiServer api(loop, store, system_clock(), folder.path, credentials.token, user_name());
  Fd listener = listen_on_loopback(options.port != 0 ? options.port : usual_port(folder));
  const int port = port_of(listener);
  if_there_is_room([&] { write_kubeconfig(folder, credentials, port); });
  const auto gate = [&](const HttpRequest& request) { return api.check_token(request); };
  const auto handler = [&](const HttpRequest& request) { return api.handle(request); };
  HttpServer https(loop, std::move(listener), &credentials.identity, gate, handler);
  // kml itself uses this socket. Other users cannot open it, and a TLS handshake would take longer than the
  // request.
  std::optional<HttpServer> http;
  if (Fd socket = listen_at(folder.socket())) http.emplace(loop, std::move(socket), nullptr, gate, handler);
  // Before a response is sent, everything that it reports is synced to disk. One sync covers all writes in a
  // turn. If the sync fails, the server ends, because it must not acknowledge writes that may be lost.
  const auto is_synced = [&] { return store.is_synced(); };
  https.hold_answers_unless(is_synced);
  if (http) http->hold_answers_unless(is_synced);
  loop.at_turn_end([&] {
    store.sync();
    https.send_held();
    if (http) http->send_held();
  });

  LocalNode node(loop, store,
                 {.folder = folder.path,
                  .fake_gpus = options.fake_gpus,
                  .fake_gpu_resource = options.fake_gpu_resource,
                  .cpu = options.cpu,
                  .memory = options.memory,
                  .node_labels = options.node_labels,
                  .log_limit = options.log_limit,
                  .pod_max_pids = options.pod_max_pids});
  bring_back_stopped(store);
  node.start();
  // Clients that wait for changes get a warning as soon as the disk is full.
  DiskRoom disk(loop, store, folder.path, [&] { return api.is_watched(); });
  api.warn_of([&] { return disk.problem(); });
  node.show_disk(disk.problem());
  disk.on_change([&] {
    const std::string& problem = disk.problem();
    log_text("kml: " + (problem.empty() ? "the disk has space again" : problem) + "\n");
    node.show_disk(problem);
    api.end_watches();
  });
  StopJobs stop_jobs(loop, store, [&] {
    node.close_services();
    loop.stop();
  });
  loop.on_signal(SIGTERM, [&] { loop.stop(); });
  loop.on_signal(SIGINT, [&] { loop.stop(); });
  loop.on_signal(stop_jobs_signal(), [&] { stop_jobs.begin(); });
  if_there_is_room([&] { write_file_atomically(folder.pid(), std::to_string(::getpid()) + "\n"); });
  loop.on_failure(log_error);
  mark_ready(*lock);
  on_ready();
  loop.run();
  mark_stopping(*lock);
  ::unlink(folder.pid().c_str());
  ::unlink(folder.socket().c_str());
  return 0;
}

}  // namespace kml::local
