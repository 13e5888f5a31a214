#include "kml/app/dispatch.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include "app/disk_use.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/help.h"
#include "cli/own_words.h"
#include "cli/parse.h"
#include "cli/wrap.h"
#include "kml/base/damage.h"
#include "kml/base/exception_text.h"
#include "kml/base/memory.h"
#include "kml/base/text.h"
#include "kml/base/waiting.h"
#include "kml/job/kinds/job_kind.h"
#include "kml/kube/kubeconfig/name_stanzas.h"
#include "kml/local/daemon.h"
#include "kml/ui/error_report.h"

namespace kml::cli {

namespace {

/// Whether to print errors as JSON. Reads the unparsed arguments, because parsing itself may fail.
bool wants_json(const std::vector<std::string>& arguments) {
  const auto is_json = [](std::string_view format) { return format == "json" || format == "jsonl"; };
  for (size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
    const std::string& argument = arguments[i];
    for (const std::string_view flag : {"-o=", "--output=", "-o"})
      if (argument.starts_with(flag) && is_json(std::string_view(argument).substr(flag.size()))) return true;
    if ((argument == "-o" || argument == "--output") && i + 1 < arguments.size() && is_json(arguments[i + 1]))
      return true;
  }
  return false;
}

/// Whether kubectl started this program as its plugin: `kubectl kml`.
bool is_plugin(const char* program) {
  return std::filesystem::path(program).filename() == "kubectl-kml";
}

/// The exception being handled, as an Error.
Error current_error() try { throw; } catch (const Error& error) {
  return error;
} catch (const std::filesystem::filesystem_error& error) {
  return system_error("cannot use " + error.path1().string(), error.code().value(),
                      "check who owns that path, and whether you may use it");
} catch (const std::bad_alloc&) {
  return out_of_memory();
} catch (const std::exception& error) {
  return {ErrorCode::failure, exception_text(error)};
}

/// While this object exists, the terminal shows what kml waits for.
class WaitingIsShown {
 public:
  explicit WaitingIsShown(Context& context) {
    if (context.streams().err_is_terminal)
      show_waiting_in(
          {[&](const std::string& text) { context.progress(text); }, [&] { context.end_progress(); }});
  }
  ~WaitingIsShown() { show_waiting_in({}); }
  WaitingIsShown(const WaitingIsShown&) = delete;
};

int run_command(const char* program, std::vector<std::string> arguments, Streams& streams) {
  api::set_further_kinds(job::described_resources);
  GlobalOptions options;
  if (arguments.size() > 1 && arguments[0] == "__complete" && arguments[1] == "--") {
    print_completion(command_tree(options), {arguments.begin() + 2, arguments.end()}, streams);
    return 0;
  }
  if (arguments.size() == 1 && arguments[0] == "--version") arguments[0] = "version";
  const bool is_about_manual = !arguments.empty() && arguments[0] == "help";
  if (is_about_manual) {
    arguments.erase(arguments.begin());
    arguments.emplace_back("--help");
  }
  Command root = command_tree(options, arguments);
  expand_alias(root, arguments);
  become_extension(root, arguments);
  Selected selected = parse(root, arguments);
  const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  options.typed = "kml " + shell_quoted(std::vector<std::string>(arguments.begin(), dashes));
  options.arguments = arguments;
  if (options.no_colour) streams.colours = false;
  if (selected.help) {
    const HelpForm form{help_width(streams.width), is_about_manual, is_plugin(program) ? "kubectl " : ""};
    streams.out << help_text(root, *selected.command, selected.path, form);
    return 0;
  }
  options.only_reads = selected.command->only_reads;
  Context context(options, streams);
  const WaitingIsShown shown(context);
  try {
    return selected.command->run(context);
  } catch (Error& error) {
    if (error.code == ErrorCode::unreachable || error.code == ErrorCode::auth)
      kube::name_stanzas(error, {.kubeconfig = options.kubeconfig, .context = context.place().context});
    error.fix = for_same_target(options, error.fix);
    throw;
  }
}

/// Warns that damaged files were left out of the output. Completions get no warnings.
void print_damage(const Streams& streams) {
  if (noted_damage().empty()) return;
  streams.err << "kml: warning: the output lacks the content of damaged files: " << some_of(noted_damage(), 5)
              << "; restore each file from a copy, or remove the damaged line or the whole file" << std::endl;
}

void print_faulty_kinds(const Streams& streams) {
  for (const Error& fault : job::faulty_kinds()) {
    const std::string what = fault.problems.empty() ? fault.message : describe(fault.problems[0]);
    streams.err << "kml: warning: the description of a kind is ignored: " << what << "; see `kml kind check`"
                << std::endl;
  }
}

}  // namespace

int run(int argc, char** argv) {
  // Processes of the embedded server. A shim is started for every pod, so it skips everything below.
  if (argc == 3 && std::strcmp(argv[1], "shim") == 0) return local::run_shim(argv[2]);
  if (argc == 3 && std::strcmp(argv[1], "proxy") == 0) return local::run_proxy(argv[2]);
  if (argc == 3 && std::strcmp(argv[1], "daemon") == 0) return local::run_daemon(argv[2]);

  std::ios::sync_with_stdio(false);
  std::signal(SIGPIPE, SIG_DFL);  // `kml list | head` must end without an error
  std::vector<std::string> arguments(argv + 1, argv + argc);
  Streams streams = process_streams();
  int code = 0;
  try {
    code = run_command(argv[0], arguments, streams);
  } catch (...) {
    Error error = current_error();
    explain_full_disk(error);
    streams.out << std::flush;
    ui::print_error(streams, error, wants_json(arguments));
    code = static_cast<int>(error.code);
  }
  streams.out << std::flush;
  if (!arguments.empty() && arguments[0] != "__complete") {
    print_damage(streams);
    print_faulty_kinds(streams);
  }
  if (code == 0 && !streams.out) {
    ui::print_error(streams, Error(ErrorCode::failure, "cannot write to standard output"), false);
    return 1;
  }
  return code;
}

}  // namespace kml::cli
