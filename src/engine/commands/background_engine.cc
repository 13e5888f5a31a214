#include "engine/commands/background_engine.h"

#include <unistd.h>

#include <csignal>
#include <tuple>
#include <utility>

#include "kml/base/background.h"
#include "kml/base/error.h"
#include "kml/base/json.h"
#include "kml/base/json_fields.h"

namespace kml::cli {

namespace {

constexpr std::tuple kErrorFields = {
    JsonField{"what", &Error::message}, JsonField{"why", &Error::why}, JsonField{"fix", &Error::fix},
    JsonField{"httpStatus", &Error::http_status}, JsonField{"reason", &Error::reason}};
constexpr std::tuple kProblemFields = {JsonField{"file", &Problem::file}, JsonField{"line", &Problem::line},
                                       JsonField{"column", &Problem::column},
                                       JsonField{"path", &Problem::path}, JsonField{"text", &Problem::text}};

Json background_message(const Error& error) {
  Json message = fields_to_json(error, kErrorFields);
  message["code"] = static_cast<int>(error.code);
  for (const Problem& problem : error.problems)
    message["problems"].push_back(fields_to_json(problem, kProblemFields));
  return {{"error", std::move(message)}};
}

Error background_error(const Json& message) {
  Error error(static_cast<ErrorCode>(int_at(message, {"code"}, 1)), "");
  read_fields(message, error, kErrorFields);
  for (const Json& problem : array_at(message, {"problems"}))
    read_fields(problem, error.problems.emplace_back(), kProblemFields);
  return error;
}

}  // namespace

int start_engine_process(Context& context, const BackgroundEngine& engine) {
  std::vector<std::string> argv = {"kml", engine.kind, "background", engine.name};
  const std::vector<std::string> flags = target_flags(context.options());
  argv.insert(argv.end(), flags.begin(), flags.end());
  const std::string told = start_in_background({std::move(argv), engine.log, {}});
  const Json message = Json::parse(told, nullptr, /*allow_exceptions=*/false);
  if (const Json* error = find(message, {"error"})) throw background_error(*error);
  if (!find(message, {"pid"}))
    throw Error(ErrorCode::failure,
                "the engine of " + engine.kind + " " + engine.name + " exited during startup", "",
                "see " + engine.log.string());
  return static_cast<int>(int_at(message, {"pid"}));
}

int run_background_engine(const std::function<int(const std::function<void()>& started)>& engine) {
  Starter starter;
  std::signal(SIGHUP, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);  // the process that started this one may have been interrupted
  bool is_told = false;
  const auto tell = [&](const Json& message) {
    if (!std::exchange(is_told, true)) starter.tell(compact_text(message));
  };
  try {
    return engine([&] { tell({{"pid", ::getpid()}}); });
  } catch (const Error& error) {
    tell(background_message(error));
    throw;
  }
}

}  // namespace kml::cli
