#include <cstdio>
#include <exception>
#include <span>

#include "base/error.h"
#include "base/say.h"
#include "base/stop.h"
#include "run/options.h"
#include "run/run.h"

namespace {

void print_error(const std::string& what, const std::string& why, const std::string& fix) {
  std::string text = "error: " + what;
  if (!why.empty()) text += "\n  why: " + why;
  if (!fix.empty()) text += "\n  fix: " + fix;
  trainer::say(text);
}

}  // namespace

int main(int argc, char** argv) try {
  setvbuf(stdout, nullptr, _IOLBF, 0);  // a reader of the log gets each line at once, also through a pipe
  const trainer::Options options =
      trainer::parse_options(std::span<const char* const>(argv + 1, argv + argc));
  if (options.help) return fputs(trainer::help_text().c_str(), stdout) < 0;
  if (options.version) return puts("kml-trainer " KML_TRAINER_VERSION) < 0;
  trainer::catch_stop_signals();
  return trainer::run(options, argv);
} catch (const trainer::Error& error) {
  print_error(error.what(), error.why(), error.fix());
  return error.exit_code();
} catch (const std::exception& error) {
  print_error(error.what(), "", "");
  return 1;
}
