#include "mcp/server/server.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "mcp/tools/answer.h"

namespace kml::mcp {

namespace {

using std::chrono::steady_clock;

constexpr size_t kLongestLine = size_t{4} << 20;
constexpr size_t kMostRunning = 8, kMostWaiting = 10'000;
constexpr size_t kMostOutput = size_t{64} << 20;
constexpr int kPoll = 200;  ///< in ms; needed for a process that has closed its output, but not ended
constexpr std::chrono::seconds kPatience{5}, kPatienceAtEnd{10};
/// how often a client that wants progress gets a notice that a call still runs
constexpr std::chrono::seconds kBeat{2};

bool is_token(const Json& token) {
  return token.is_string() || token.is_number_integer();
}

Json failed(const std::string& what) {
  Said said;
  said.error = {{"code", 1}, {"what", what}};
  return tool_result(said, what.size() * 4 + 1000, false);
}

}  // namespace

void Server::send(const std::string& line) {
  if (!is_closed_ && !write_whole(out_, line + "\n")) is_closed_ = true;
}

void Server::run() {
  const Signals signals{SIGINT, SIGTERM};
  std::signal(SIGPIPE, SIG_IGN);
  bool reads = true;
  auto last = steady_clock::time_point::max();
  while (reads || ((!running_.empty() || !waiting_.empty()) && steady_clock::now() < last)) {
    start_waiting();
    wait(reads, signals.fd());
    if (signals.next() || is_closed_) break;
    if (reads && !(reads = read_input())) last = steady_clock::now() + kPatienceAtEnd;
    running_.remove_if([this](Task& task) { return !go_on(task); });
  }
  // Applying the plan again completes an interrupted submit.
  for (Task& task : running_) stop(task);
  const auto end = steady_clock::now() + kPatience;
  while (!running_.empty() && steady_clock::now() < end) {
    wait(false, -1);
    running_.remove_if([this](Task& task) { return !go_on(task); });
  }
}

void Server::wait(bool reads, int signals) {
  std::vector<pollfd> all;
  const auto add = [&](int fd) {
    if (fd >= 0) all.push_back({.fd = fd, .events = POLLIN, .revents = 0});
  };
  if (reads) add(in_);
  add(signals);
  for (const Task& task : running_)
    if (task.process) {
      add(task.process->out());
      add(task.process->errors());
    }
  ::poll(all.data(), all.size(), running_.empty() ? -1 : kPoll);
}

bool Server::read_input() {
  pollfd readable{.fd = in_, .events = POLLIN, .revents = 0};
  if (::poll(&readable, 1, 0) <= 0) return true;
  char buffer[1 << 16];
  const ssize_t got = ::read(in_, buffer, sizeof buffer);
  if (got < 0 && errno == EINTR) return true;
  if (got <= 0) return false;
  input_.append(buffer, static_cast<size_t>(got));
  size_t begin = 0;
  for (size_t end = 0; (end = input_.find('\n', begin)) != std::string::npos; begin = end + 1) {
    if (!skips_line_) take_line(std::string_view(input_).substr(begin, end - begin));
    skips_line_ = false;
  }
  input_.erase(0, begin);
  if (input_.size() <= kLongestLine) return true;
  if (!skips_line_) send(response(nullptr, {Fault::invalid_request, "the message is larger than 4 MiB"}));
  skips_line_ = true;
  input_.clear();
  return true;
}

void Server::take_line(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.find_first_not_of(" \t") == std::string_view::npos) return;
  const auto read = read_message(line);
  if (const auto* malformed = std::get_if<Malformed>(&read))
    send(response(malformed->id, malformed->refusal));
  if (const auto* message = std::get_if<Message>(&read)) take_message(*message);
}

void Server::take_message(const Message& message) {
  if (message.is_notification()) {
    if (message.method == "notifications/cancelled") cancel(message.params);
    return;
  }
  const auto has_id = [&](const Task& task) { return task.id == message.id; };
  if (std::any_of(running_.begin(), running_.end(), has_id) ||
      std::any_of(waiting_.begin(), waiting_.end(), has_id))
    return send(response(message.id, {Fault::invalid_request, "a request with this id is running"}));
  if (waiting_.size() >= kMostWaiting)
    return send(response(message.id, {Fault::busy, "too many requests are waiting"}));
  try {
    auto answer = session_.answer(message);
    if (const auto* refusal = std::get_if<Refusal>(&answer)) return send(response(message.id, *refusal));
    if (auto* result = std::get_if<Json>(&answer))
      return send(response(message.id, std::move(*result), message.is_modern));
    Task task;
    task.id = message.id;
    task.is_modern = message.is_modern;
    task.started = std::get<Started>(std::move(answer));
    const Json& meta = object_at(message.params, {"_meta"});
    if (const auto token = meta.find("progressToken"); token != meta.end() && is_token(*token))
      task.progress_token = *token;
    waiting_.push_back(std::move(task));
  } catch (const Error& error) {
    send(response(message.id, {Fault::internal, message_and_why(error)}));
  }
}

/// A cancelled request gets no response. A running one is interrupted, and remains until its process has
/// ended.
void Server::cancel(const Json& params) {
  const Json id = params.value("requestId", Json());
  for (Task& task : running_)
    if (task.id == id) stop(task);
  std::erase_if(waiting_, [&](const Task& task) { return task.id == id; });
}

void Server::stop(Task& task) {
  if (task.is_cancelled) return;
  task.is_cancelled = true;
  task.kill_at = steady_clock::now() + kPatience;
  if (task.process) task.process->send(SIGINT);
}

bool Server::may_start(const Task& task) const {
  return !task.started.call->is_alone() ||
         std::none_of(running_.begin(), running_.end(),
                      [](const Task& other) { return other.started.call->is_alone(); });
}

/// Starts calls in the order of their requests, except that a call that must run alone may have to wait.
void Server::start_waiting() {
  for (auto task = waiting_.begin(); task != waiting_.end() && running_.size() < kMostRunning;) {
    if (!may_start(*task)) {
      ++task;
      continue;
    }
    running_.push_back(std::move(*task));
    task = waiting_.erase(task);
    running_.back().begun = steady_clock::now();
    running_.back().next_beat = running_.back().begun + kBeat;
    step(running_.back());
    if (!running_.back().process) running_.pop_back();
  }
}

/// Starts the next process of the call. If there is none, answers, and leaves the task without a process.
void Server::step(Task& task) {
  task.process.reset();
  Started& started = task.started;
  try {
    if (const auto words = task.is_cancelled ? std::nullopt : started.call->next(task.ran)) {
      if (started.changes && task.ran.empty())
        session_.audit().add("begin", started.number, started.tool, started.arguments,
                             {{"plan", started.call->plan_id()}});
      task.out.clear();
      task.errors.clear();
      task.told = 0;
      task.process = std::make_unique<PolledProcess>(kml_(*words));
      return;
    }
    finish(task, task.ran.empty() ? failed("it was cancelled") : started.call->result(task.ran));
  } catch (const Error& error) {
    Said said;
    said.error = {{"code", static_cast<int>(error.code)}, {"what", error.message}};
    set_said(said.error, {{"why", error.why}, {"fix", error.fix}});
    finish(task, tool_result(said, kLongestLine, false));
  }
}

void Server::finish(Task& task, const Json& result) {
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() - task.begun);
  Json facts = {{"plan", task.started.call->plan_id()},
                {"isError", bool_at(result, {"isError"})},
                {"cancelled", task.is_cancelled},
                {"milliseconds", took.count()}};
  if (!task.ran.empty()) facts["exitCode"] = task.ran.back().exit_code;
  try {
    session_.audit().add("end", task.started.number, task.started.tool, task.started.arguments,
                         std::move(facts));
  } catch (const Error& error) {
    if (!task.is_cancelled) send(response(task.id, {Fault::internal, message_and_why(error)}));
    return;
  }
  if (!task.is_cancelled) send(response(task.id, result, task.is_modern));
}

void Server::tell_progress(Task& task) {
  if (task.progress_token.is_null() || task.is_cancelled) return;
  const auto tell = [&](const std::string& text, const Json& meta) {
    task.next_beat = steady_clock::now() + kBeat;
    Json params = {{"progressToken", task.progress_token}, {"progress", ++task.progress}, {"message", text}};
    if (!meta.empty()) params["_meta"] = meta;
    send(notification("notifications/progress", params));
  };
  if (steady_clock::now() >= task.next_beat) {
    const auto running = std::chrono::duration_cast<std::chrono::seconds>(steady_clock::now() - task.begun);
    tell("running for " + std::to_string(running.count()) + "s", {});
  }
  for (size_t end = 0; (end = task.errors.find('\n', task.told)) != std::string::npos; task.told = end + 1) {
    tell(cleaned_text(task.errors.substr(task.told, end - task.told)), meta_of_strangers());
  }
}

/// Reads what the task's process has written. Returns false if the call is over.
bool Server::go_on(Task& task) {
  // Checked before the read, so that the read gets all output of an ended process.
  const bool has_ended = task.process->look_for_end();
  task.process->read(task.out, task.errors, kMostOutput);
  tell_progress(task);
  if (!has_ended) {
    if (steady_clock::now() >= task.kill_at) task.process->send(SIGKILL);
    return true;
  }
  task.ran.push_back({task.process->exit_code(), std::move(task.out), std::move(task.errors)});
  step(task);
  return task.process != nullptr;
}

}  // namespace kml::mcp
