#include <unistd.h>

#include <cstdio>
#include <exception>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/say.h"
#include "base/stop.h"
#include "comm/nccl_library.h"
#include "run/options.h"
#include "run/run.h"
#include "serve/predictor.h"
#include "serve/server.h"

namespace {

void print_error(const std::string& what, const std::string& why, const std::string& fix) {
  std::string text = "error: " + what;
  if (!why.empty()) text += "\n  why: " + why;
  if (!fix.empty()) text += "\n  fix: " + fix;
  trainer::say(text);
}

int predict_or_serve(const trainer::Options& options) {
  if (options.checkpoint_dir.empty())
    throw trainer::Error("--predict and --serve need --checkpoint-dir",
                         "they use the weights of a trained network", "", 2);
  trainer::Predictor predictor(options.checkpoint_dir);
  if (!options.predict.empty()) {
    const std::vector<uint8_t> picture =
        trainer::picture_of(trainer::read_file(options.predict), predictor.pixels());
    puts(trainer::prediction_line(predictor.probabilities(picture)).c_str());
  }
  return options.serve ? trainer::serve(predictor, options.serve_address, *options.serve) : 0;
}

int run_program(int argc, char** argv) try {
  // so that a reader of the log gets each line at once, even through a pipe
  setvbuf(stdout, nullptr, _IOLBF, 0);
  const trainer::Options options =
      trainer::parse_options(std::span<const char* const>(argv + 1, argv + argc));
  if (options.help) return fputs(trainer::help_text().c_str(), stdout) < 0;
  if (options.version) return puts("kml-trainer " KML_TRAINER_VERSION) < 0;
  trainer::catch_stop_signals();
  if (!options.predict.empty() || options.serve) return predict_or_serve(options);
  return trainer::run(options, argv);
} catch (const trainer::Error& error) {
  print_error(error.what(), error.why(), error.fix());
  return error.exit_code();
} catch (const std::exception& error) {
  print_error(error.what(), "", "");
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const int status = run_program(argc, argv);
  // NCCL may still be closing a connection in a separate thread, which uses static objects that exit() would
  // destroy.
  if (!trainer::nccl::is_loaded()) return status;
  fflush(nullptr);
  _exit(status);
}
