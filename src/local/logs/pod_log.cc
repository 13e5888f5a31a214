#include "local/logs/pod_log.h"

#include <fmt/format.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/text.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "local/api/api_error.h"
#include "local/logs/container_choice.h"
#include "local/logs/log_files.h"
#include "local/logs/log_lines.h"
#include "local/shim/pod_folder.h"

namespace kml::local {

namespace {

/// The logs of a deleted pod (preempted, suspended or replaced), which are kept while its Job or ReplicaSet
/// exists. A real API server does not have them. Clients request them at the path of the pod's log, with the
/// parameter `uid`, which only this server knows.
class KeptLogs {
 public:
  /// `pod` is "NAMESPACE/NAME". Throws 404 if no logs of a pod with that name and uid are kept.
  KeptLogs(const std::filesystem::path& pods_folder, const std::string& pod, const std::string& uid);

  /// Throws 400, like local::choose_container.
  ContainerRun choose_container(const std::string& container, bool previous) const;

 private:
  std::string pod_;
  std::filesystem::path folder_;
};

namespace fs = std::filesystem;

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

KeptLogs::KeptLogs(const fs::path& pods_folder, const std::string& pod, const std::string& uid)
    : pod_(pod), folder_(pods_folder / uid / "logs") {
  // Only accepts a uid, not a path that leads to other folders.
  const bool is_uid = uid.find_first_not_of("0123456789abcdef-") == std::string::npos;
  const auto owner = is_uid ? read_pod_file(pods_folder / uid / "owner") : std::nullopt;
  if (!owner || !owner->ends_with("\n" + pod))
    throw api_error(404, "NotFound", fmt::format("no logs are kept for a pod {} with uid {}", pod, uid));
}

ContainerRun KeptLogs::choose_container(const std::string& asked, bool previous) const {
  const std::vector<std::string> names = names_in(folder_);
  if (asked.empty() && names.size() != 1)
    throw bad_request(fmt::format("a container name must be specified for pod {}, choose one of: [{}]", pod_,
                                  join(names, " ")));
  const std::string name = asked.empty() ? names[0] : asked;
  if (std::find(names.begin(), names.end(), name) == names.end())
    throw bad_request(fmt::format("container {} is not valid for pod {}", name, pod_));
  int last = 0;
  for (const std::string& file : names_in(folder_ / name)) last = std::max(last, std::atoi(file.c_str()));
  if (previous && last == 0)
    throw bad_request(
        fmt::format("previous terminated container \"{}\" in pod \"{}\" not found", name, pod_));
  return {name, previous ? last - 1 : last, true};
}

constexpr size_t kPiece = 64 << 10;

std::optional<uint64_t> number(const HttpRequest& request, std::string_view name) {
  const std::string text = request.parameter(name);
  if (text.empty()) return std::nullopt;
  uint64_t value = 0;
  const char* end = text.data() + text.size();
  auto [stop, failure] = std::from_chars(text.data(), end, value);
  if (failure != std::errc() || stop != end)
    throw api_error(422, "Invalid",
                    "PodLogOptions is invalid: " + std::string(name) + ": Invalid value: \"" + text +
                        "\": must be a number not below 0");
  return value;
}

LogLines::Options line_options(const HttpRequest& request, const Clock& clock) {
  LogLines::Options options{
      .timestamps = request.is_true("timestamps"), .since = {}, .unfinished = request.is_true("unfinished")};
  if (const std::string stream = request.parameter("stream"); stream == "Stdout" || stream == "Stderr")
    options.only = stream == "Stderr";
  const auto seconds = number(request, "sinceSeconds");
  const std::string time = request.parameter("sinceTime");
  if (seconds && !time.empty())
    throw api_error(422, "Invalid",
                    "PodLogOptions is invalid: sinceSeconds: Forbidden: at most one of `sinceTime` or "
                    "`sinceSeconds` may be specified");
  if (seconds)
    options.since = clock.now() - std::chrono::seconds(std::min<uint64_t>(*seconds, 1'000'000'000));
  if (!time.empty()) {
    options.since = parse_rfc3339(time);
    if (!options.since) throw bad_request("sinceTime is not an RFC 3339 time: " + time);
    // The API server passes this time to the kubelet in whole seconds.
    options.since = std::chrono::floor<std::chrono::seconds>(*options.since);
  }
  return options;
}

}  // namespace

/// The body of a response: the existing log and, if the client follows it, new text until the container ends.
class PodLogs::LogStream : public BodySource {
 public:
  LogStream(PodLogs& logs, std::string pod, std::string uid, ContainerRun run, const HttpRequest& request)
      : logs_(logs),
        pod_(std::move(pod)),
        uid_(std::move(uid)),
        run_(std::move(run)),
        folder_(logs.folder_ / "pods" / uid_ / "logs" / run_.container),
        files_(folder_, run_.restart),
        lines_(line_options(request, logs.clock_)),
        left_(number(request, "limitBytes")),
        ended_(run_.terminated || !request.is_true("follow")),
        is_part_(request.query.contains("tailLines") || request.query.contains("sinceTime") ||
                 request.query.contains("sinceSeconds")) {
    if (auto lines = number(request, "tailLines")) files_.skip_to_tail(*lines);
    if (!ended_) logs_.begin_to_watch(*this);
  }

  ~LogStream() override { logs_.stop_watching(*this); }

  Next read(std::string& piece) override {
    // The end is checked before the files are read, so that the files contain everything written before the
    // end.
    const bool ended = ended_;
    std::string_view record;
    bool drained = false;
    while (piece.size() < kPiece && !drained) {
      drained = !files_.next(record);
      if (drained) break;
      if (const uint64_t lost = files_.take_lost()) tell_lost(lost, piece);
      lines_.add(record, piece);
    }
    if (drained && ended) lines_.finish(piece);
    if (left_ && piece.size() >= *left_) {
      piece.resize(*left_);
      return Next::end;
    }
    if (left_) *left_ -= piece.size();
    if (!drained) return Next::more;
    return ended ? Next::end : Next::wait;
  }

  /// For a reader of the whole log, a note that its start was removed; empty if nothing was removed.
  std::string gap() const {
    const LogFiles::Removed& removed = files_.removed();
    if (removed.bytes == 0 || is_part_) return {};
    return fmt::format(
        "the first {} lines ({} bytes) of pod {}, container {} were removed: its log exceeded the server's "
        "limit; for a higher limit: kml local down, then kml local up --log-limit SIZE",
        removed.lines, removed.bytes, pod_, run_.container);
  }

  void on_pod(const StoreEvent& event) {
    if (ended_ || api::uid_of(*event.object) != uid_) return;
    ended_ = event.change == Change::deleted || has_ended(*event.object, run_);
    if (ended_) wake();
  }

  void on_files_changed() {
    files_.hold_newer();
    wake();
  }

  const std::filesystem::path& folder() const { return folder_; }

 private:
  void tell_lost(uint64_t bytes, std::string& out) {
    lines_.cut(out);
    out += fmt::format(
        "{}{} bytes were removed before they were read, because the log exceeded the server's limit\n",
        api::kLostLogNotice, bytes);
  }

  void wake() {
    if (on_ready) on_ready();
  }

  PodLogs& logs_;
  std::string pod_;  ///< "NAMESPACE/NAME"
  std::string uid_;
  ContainerRun run_;
  std::filesystem::path folder_;
  LogFiles files_;
  LogLines lines_;
  std::optional<uint64_t> left_;
  bool ended_;
  const bool is_part_;  ///< whether only part of the log was requested
};

PodLogs::PodLogs(EventLoop& loop, Store& store, const Clock& clock, std::filesystem::path folder)
    : clock_(clock), folder_(std::move(folder)), inotify_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
  if (!inotify_) throw system_error("cannot watch log files", errno);
  loop.watch(inotify_.get(), EPOLLIN, [this](uint32_t) { on_files_changed(); });
  store.subscribe([this](const StoreEvent& event) { on_pod_changed(event); });
}

HttpResponse PodLogs::read(const Json& pod, const HttpRequest& request) {
  const std::string container = request.parameter("container");
  if (api::node_of(pod).empty()) return {.status = 204};
  return answer(api::full_name_of(pod), api::uid_of(pod),
                choose_container(pod, container, request.is_true("previous")), request);
}

HttpResponse PodLogs::read_kept(const std::string& pod, const std::string& uid, const HttpRequest& request) {
  const KeptLogs kept(folder_ / "pods", pod, uid);
  return answer(pod, uid, kept.choose_container(request.parameter("container"), request.is_true("previous")),
                request);
}

HttpResponse PodLogs::answer(const std::string& pod, const std::string& uid, ContainerRun run,
                             const HttpRequest& request) {
  HttpResponse response{.content_type = "text/plain"};
  auto stream = std::make_unique<LogStream>(*this, pod, uid, std::move(run), request);
  if (std::string gap = stream->gap(); !gap.empty()) response.warnings.push_back(std::move(gap));
  response.stream = std::move(stream);
  return response;
}

void PodLogs::begin_to_watch(LogStream& stream) {
  // Watches the folder, not the file, to notice the next file after a rotation, too.
  const int number =
      ::inotify_add_watch(inotify_.get(), stream.folder().c_str(), IN_MODIFY | IN_CREATE | IN_MOVED_TO);
  if (number < 0)
    throw system_error("cannot watch " + stream.folder().string(), errno,
                       "if many files are already watched, raise fs.inotify.max_user_watches");
  watched_[number].insert(&stream);
  follows_.insert(&stream);
}

void PodLogs::stop_watching(LogStream& stream) {
  if (follows_.erase(&stream) == 0) return;
  for (auto it = watched_.begin(); it != watched_.end();) {
    it->second.erase(&stream);
    if (!it->second.empty()) {
      ++it;
      continue;
    }
    ::inotify_rm_watch(inotify_.get(), it->first);
    it = watched_.erase(it);
  }
}

void PodLogs::on_files_changed() {
  alignas(inotify_event) char buffer[16 << 10];
  std::set<int> changed;
  for (ssize_t got; (got = ::read(inotify_.get(), buffer, sizeof buffer)) > 0;)
    for (const char* at = buffer; at < buffer + got;) {
      const auto* event = reinterpret_cast<const inotify_event*>(at);
      changed.insert(event->wd);
      at += sizeof *event + event->len;
    }
  for (int number : changed) {
    auto found = watched_.find(number);
    if (found == watched_.end()) continue;
    for (LogStream* stream : found->second) stream->on_files_changed();
  }
}

void PodLogs::on_pod_changed(const StoreEvent& event) {
  if (event.kind->kind != "Pod") return;
  for (LogStream* stream : follows_) stream->on_pod(event);
}

}  // namespace kml::local
