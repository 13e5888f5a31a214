#include "pod/copy/pod_shell.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>
#include <utility>

#include "kml/base/memory.h"
#include "kml/base/text.h"
#include "kml/kube/client/remote_process.h"

namespace kml::pod {

namespace {

/// No more input is read while this many bytes are waiting to be sent.
constexpr size_t kMostOnItsWay = size_t{1} << 20;
constexpr std::chrono::seconds kLongestWaitForShell{10};
constexpr size_t kMostErrors = 4096;
/// Longer than the mark and the exit code together.
constexpr size_t kMarkAndNumber = 64;
constexpr int kMostCutsInARow = 8;
constexpr std::string_view kGarbled = "Garbled", kNoShell = "NoShell";

/// Comes before a script whose arguments are encoded, and decodes them.
constexpr std::string_view kDecode = R"sh(for a; do shift; a=$(printf '%bx' "$a"); set -- "$@" "${a%x}"; done
)sh";

/// Encodes an argument. The command line in a request must be UTF-8, but names of files may contain any
/// bytes.
std::string encoded(std::string_view argument) {
  std::string text;
  for (const char c : argument) text += fmt::format("\\0{:03o}", static_cast<unsigned char>(c));
  return text;
}

/// Makes a script that fails while it gets input print its exit code after `mark`, and then keep running. If
/// it ended, a real node might wait for the rest of the input before it reports the end (seen with containerd
/// 1.6).
std::string told_failure(std::string_view script, const std::string& mark) {
  return fmt::format("({}\n) || {{ code=$?; echo {}$code >&2; while read -r rest; do :; done; exit $code; }}",
                     script, mark);
}

std::vector<std::string> command_line(const ShellCall& call, const std::string& mark) {
  const bool is_plain = std::all_of(call.arguments.begin(), call.arguments.end(), is_utf8);
  std::string script = std::string(is_plain ? "" : kDecode).append(call.script);
  if (call.input) script = told_failure(script, mark);
  std::vector<std::string> words = {"sh", "-c", std::move(script), "kml"};
  for (const std::string& argument : call.arguments) words.push_back(is_plain ? argument : encoded(argument));
  return words;
}

/// The number on the line after `mark`; empty until the line is complete.
std::optional<int> number_after(const std::string& mark, std::string_view text) {
  const size_t at = text.find(mark), newline = text.find('\n', at);
  if (at == std::string_view::npos || newline == std::string_view::npos) return {};
  const size_t begin = at + mark.size();
  return whole_number(text.substr(begin, newline - begin));
}

/// Whether the runtime could not start the program. RemoteRun recognizes this in the same way.
bool cannot_start(const Error& error) {
  return error.http_status == 0 && error.code == ErrorCode::failure && !error.reason.empty();
}

Error without_shell(const std::string& name, const Error& error) {
  Error without(ErrorCode::failure, "cannot copy files from or to " + name,
                "its image has no `sh`, or `sh` cannot run: " + error.why,
                "let the job write to a claim, and copy pvc/NAME/PATH, for which --image names an image with "
                "`sh`; for a look into a pod: kml debug JOB");
  without.reason = kNoShell;
  return without;
}

Error too_long(const std::string& tried, const std::string& name, size_t most) {
  Error error(ErrorCode::failure, tried, "the pod's answer is longer than " + size_text(most),
              "copy fewer files at once; if that does not help, a program in the image of " + name +
                  " prints too much");
  error.reason = kTooLarge;
  return error;
}

}  // namespace

std::string ShellEnd::why() const {
  for (const std::string& line : split(errors, '\n'))
    if (contains(line, ": ")) return line;  // dd also prints counts, so only an error message is returned
  return exit_code == 0 ? "a program of the pod's image failed" : "exit code " + std::to_string(exit_code);
}

ShellEnd PodShell::run(const ShellCall& call) {
  ShellEnd end;
  std::optional<Error> broken;
  std::exception_ptr failure;
  bool is_open = false, is_over = false, has_input = static_cast<bool>(call.input);
  const std::string mark = "kml-" + random_hex(8) + "-";
  std::string last_errors;
  kube::RemoteCommand command = {.namespace_name = rank_.namespace_name,
                                 .pod = rank_.pod,
                                 .container = rank_.container,
                                 .command = command_line(call, mark),
                                 .has_input = has_input};
  const auto on_output = [&](bool is_error, std::string_view bytes) {
    if (is_error) {
      end.errors += bytes.substr(0, kMostErrors - std::min(end.errors.size(), kMostErrors));
      last_errors.append(bytes);
      if (const std::optional<int> code = number_after(mark, last_errors)) {
        end.exit_code = *code;
        is_over = true;
      }
      last_errors.erase(0, last_errors.size() - std::min(last_errors.size(), kMarkAndNumber));
    }
    if (is_error || failure || !call.output) return;
    try {
      call.output(bytes);
    } catch (...) {  // rethrown below, because no exception may pass through the transport
      failure = std::current_exception();
    }
  };
  kube::RemoteProcess process(client_, std::move(command),
                              {.on_open = [&] { is_open = true; },
                               .on_output = on_output,
                               .on_end =
                                   [&](std::optional<int> code, const Error* error) {
                                     is_over = true;
                                     if (code)
                                       end.exit_code = *code;
                                     else
                                       broken = *error;
                                   }});
  const int wake[] = {interrupt_.fd()};
  while (!is_over && !failure) {
    while (is_open && has_input && process.unsent() < kMostOnItsWay) {
      const std::string piece = call.input();
      has_input = !piece.empty();
      if (has_input)
        process.send(piece);
      else
        process.close_input();
    }
    client_.transport().wait(kLongestWaitForShell, wake);
    interrupt_.check();
  }
  if (failure) std::rethrow_exception(failure);
  if (broken && cannot_start(*broken)) throw without_shell(name_, *broken);
  if (broken) throw *broken;
  return end;
}

std::string PodShell::output_of(ShellCall call, const std::string& tried, size_t most) {
  constexpr std::string_view kEnd = "end\n";
  std::string output;
  call.output = [&](std::string_view bytes) {
    if (output.size() + bytes.size() > most + kEnd.size()) throw too_long(tried, name_, most);
    output += bytes;
  };
  const ShellEnd end = run(call);
  if (end.exit_code != 0) throw Error(ErrorCode::failure, tried, end.why());
  if (!output.ends_with(kEnd)) throw cut_short(tried);
  output.resize(output.size() - kEnd.size());
  return output;
}

bool is_cut(const Error& error) {
  constexpr int kServerError = 500;
  return error.code == ErrorCode::unreachable || error.http_status >= kServerError;
}

bool is_without_shell(const Error& error) {
  return error.reason == kNoShell;
}

Error garbled(const std::string& tried) {
  Error error(ErrorCode::failure, tried, "the pod sent an unexpected response");
  error.reason = kGarbled;
  return error;
}

bool is_garbled(const Error& error) {
  return error.reason == kGarbled;
}

Error cut_short(const std::string& tried) {
  return Error(ErrorCode::unreachable, tried, "the stream from the pod closed too early");
}

void Patience::after(const Error& error, std::uintmax_t done) {
  constexpr std::chrono::milliseconds kFirst{100}, kLongest{3000};
  if (!is_cut(error)) throw error;
  if (done > done_) in_a_row_ = 0;
  done_ = done;
  if (++in_a_row_ > kMostCutsInARow) throw error;
  note_("the connection to " + shell_.name() + " broke; continuing after " + size_text(done));
  shell_.interrupt().pause(std::min(kFirst * (1 << in_a_row_), kLongest));
}

}  // namespace kml::pod
