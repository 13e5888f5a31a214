#include <cstdio>
#include <exception>
#include <span>

#include "base/error.h"
#include "base/stop.h"
#include "run/options.h"
#include "run/run.h"

namespace {

void print_error(const char* what, const std::string& why, const std::string& fix) {
  fprintf(stderr, "kml-trainer: error: %s\n", what);
  if (!why.empty()) fprintf(stderr, "  why: %s\n", why.c_str());
  if (!fix.empty()) fprintf(stderr, "  fix: %s\n", fix.c_str());
}

}  // namespace

int main(int argc, char** argv) try {
  setvbuf(stdout, nullptr, _IOLBF, 0);  // whoever follows the log sees each line at once, through a pipe too
  const trainer::Options options =
      trainer::parse_options(std::span<const char* const>(argv + 1, argv + argc));
  if (options.help) return fputs(trainer::help_text().c_str(), stdout) < 0;
  if (options.version) return puts("kml-trainer " KML_TRAINER_VERSION) < 0;
  trainer::catch_stop_signals();
  return trainer::run(options);
} catch (const trainer::Error& error) {
  print_error(error.what(), error.why(), error.fix());
  return error.exit_code();
} catch (const std::exception& error) {
  print_error(error.what(), "", "");
  return 1;
}
