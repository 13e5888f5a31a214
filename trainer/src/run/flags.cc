#include "run/flags.h"

#include <limits>

#include "run/flag_values.h"

namespace trainer {

namespace {

constexpr uint64_t kMany = 1'000'000'000;

}  // namespace

const std::vector<Flag>& flags() {
  static const std::vector<Flag> table = {
      {"data", "DIR", "folder with the four IDX files (default: where get-mnist puts them)",
       [](Options& o, const std::string& v) { o.data = v; }},
      {"verify", "auto|mnist|fashion-mnist|custom",
       "auto: MNIST, Fashion-MNIST or, with a note, other data of the same format; a mixture is an "
       "error,\nbecause it means that a file is damaged; mnist, fashion-mnist: only these files, by "
       "md5;\ncustom: any data of this format",
       [](Options& o, const std::string& v) {
         o.verify = choice<Verify>("verify", v,
                                   {{"auto", Verify::automatic},
                                    {"mnist", Verify::mnist},
                                    {"fashion-mnist", Verify::fashion_mnist},
                                    {"custom", Verify::custom}});
       }},
      {"max_steps", "N", "number of steps; some of them evaluate instead of training (default 1000)",
       [](Options& o, const std::string& v) { o.max_steps = number<uint64_t>("max_steps", v, 0, kMany); }},
      {"evaluate-every", "N", "evaluate in every N-th step; 0: only at the end (default 10, as in the demo)",
       [](Options& o, const std::string& v) {
         o.evaluate_every = number<uint64_t>("evaluate-every", v, 0, kMany);
       }},
      {"model", "mlp|cnn",
       "mlp: one layer of hidden units, as in the demo; cnn: two 3 x 3 convolutions of 32 and 64 "
       "planes,\nmax-pool, hidden units (default mlp)",
       [](Options& o, const std::string& v) {
         o.model = choice<ModelKind>("model", v, {{"mlp", ModelKind::mlp}, {"cnn", ModelKind::cnn}});
       }},
      {"optimizer", "adam|sgd", "Adam, or SGD with momentum (default adam)",
       [](Options& o, const std::string& v) {
         o.optimizer = choice<OptimizerKind>("optimizer", v,
                                             {{"adam", OptimizerKind::adam}, {"sgd", OptimizerKind::sgd}});
       }},
      {"momentum", "X", "momentum of sgd (default 0.9)",
       [](Options& o, const std::string& v) { o.momentum = number<Real>("momentum", v, 0, 1); }},
      {"nesterov", nullptr, "use Nesterov's momentum in sgd",
       [](Options& o, const std::string&) { o.nesterov = true; }},
      {"schedule", "constant|cosine|step",
       "how the learning rate changes over the updates; cosine: down to 0; step: a tenth after half of them, "
       "a hundredth\nafter three quarters (default constant)",
       [](Options& o, const std::string& v) {
         using Kind = Schedule::Kind;
         o.schedule = choice<Kind>(
             "schedule", v, {{"constant", Kind::constant}, {"cosine", Kind::cosine}, {"step", Kind::step}});
       }},
      {"schedule-updates", "N",
       "the length of the schedule, in updates (default: the updates of --max_steps)",
       [](Options& o, const std::string& v) {
         o.schedule_updates = number<uint64_t>("schedule-updates", v, 1, kMany);
       }},
      {"warm-up", "N", "updates over which the learning rate rises from 0 (default 0)",
       [](Options& o, const std::string& v) { o.warm_up = number<uint64_t>("warm-up", v, 0, kMany); }},
      {"learning_rate", "X", "learning rate (default 0.001, for sgd 0.05)",
       [](Options& o, const std::string& v) {
         o.learning_rate = number<Real>("learning_rate", v, 0, Real{1e30f});
       }},
      {"dropout", "KEEP",
       "probability to KEEP a hidden value in training, as in the TensorFlow demo: 0.9 drops a tenth,\n"
       "1 switches dropout off (default 0.9)",
       [](Options& o, const std::string& v) { o.keep = number<Real>("dropout", v, Real{0.001f}, 1); }},
      {"batch-size", "N", "examples per update (default 100)",
       [](Options& o, const std::string& v) { o.batch_size = number<uint32_t>("batch-size", v, 1, 65535); }},
      {"shift", "N",
       "move each training image by up to N pixels up or down, and left or right, at random, differently\n"
       "in each epoch (default 0)",
       [](Options& o, const std::string& v) { o.shift = number<uint32_t>("shift", v, 0, 1000); }},
      {"hidden", "N", "hidden units (default 500, for cnn 128)",
       [](Options& o, const std::string& v) { o.hidden = number<uint32_t>("hidden", v, 1, 65536); }},
      {"seed", "N", "seed of weights, order, shifts and dropout (default 1)",
       [](Options& o, const std::string& v) {
         o.seed = number<uint64_t>("seed", v, 0, std::numeric_limits<uint64_t>::max());
       }},
      {"device", "cpu|cuda|auto", "where to compute (default auto)",
       [](Options& o, const std::string& v) {
         o.device = choice<Device>(
             "device", v, {{"cpu", Device::cpu}, {"cuda", Device::cuda}, {"auto", Device::automatic}});
       }},
      {"precision", "fp32|tf32|bf16",
       "how a GPU rounds the factors of large products: fp32: not at all; tf32: to 10 bits of fraction, "
       "and\nbf16: to 7, for its tensor cores (default fp32)",
       [](Options& o, const std::string& v) {
         o.precision = choice<Precision>(
             "precision", v,
             {{"fp32", Precision::fp32}, {"tf32", Precision::tf32}, {"bf16", Precision::bf16}});
       }},
      {"kernels", "fast|three|plain",
       "which kernels a GPU runs; fast: special ones for certain network sizes, otherwise plain ones;\n"
       "three: like fast, but never one kernel for many updates; plain: only plain kernels.\n"
       "fast and three give the same bits; plain gives different last bits (default fast)",
       [](Options& o, const std::string& v) {
         o.kernels = choice<Kernels>(
             "kernels", v, {{"fast", Kernels::fast}, {"three", Kernels::three}, {"plain", Kernels::plain}});
       }},
      {"communicator", "auto|tcp|nccl",
       "how gradients are sent between ranks: tcp: through the hosts; nccl: from GPU to GPU, by a "
       "libnccl.so.2\nthat the loader finds; auto: nccl if possible, otherwise tcp with a note (default "
       "auto)",
       [](Options& o, const std::string& v) {
         o.transport = choice<Transport>(
             "communicator", v,
             {{"auto", Transport::automatic}, {"tcp", Transport::tcp}, {"nccl", Transport::nccl}});
       }},
      {"threads", "N",
       "CPU threads (default: all CPUs that this process may use); results are the same for any N",
       [](Options& o, const std::string& v) { o.threads = number<unsigned>("threads", v, 1, 1024); }},
      {"launch", "auto|single",
       "auto: take the rank and the number of ranks from the environment (torchrun, operators, "
       "mpirun);\nsingle: one process (default auto)",
       [](Options& o, const std::string& v) {
         o.single = choice<bool>("launch", v, {{"auto", false}, {"single", true}});
       }},
      {"fast", nullptr,
       "sum gradients around a ring, for any number of ranks; the last bits then depend on that number;\n"
       "without --fast, up to 8 ranks give exactly the result of one rank",
       [](Options& o, const std::string&) { o.fast = true; }},
      {"meeting-timeout", "SECONDS", "how long ranks try to connect to each other (default 600)",
       [](Options& o, const std::string& v) {
         o.meeting_timeout = number<uint32_t>("meeting-timeout", v, 1, 86400);
       }},
      {"stall-timeout", "SECONDS",
       "exit after waiting this long for another rank, so that the job is started again; 0: never "
       "exit\n(default)",
       [](Options& o, const std::string& v) {
         o.stall_timeout = number<uint32_t>("stall-timeout", v, 0, 86400);
       }},
      {"checkpoint-dir", "DIR", "write checkpoints to DIR, and resume from the newest (default: none)",
       [](Options& o, const std::string& v) { o.checkpoint_dir = v; }},
      {"checkpoint-every", "N", "steps between checkpoints; 0: only at the end and at a stop (default 100)",
       [](Options& o, const std::string& v) {
         o.checkpoint_every = number<uint64_t>("checkpoint-every", v, 0, kMany);
       }},
      {"metrics", "FILE", "append JSON lines to FILE; - is stdout (default: none)",
       [](Options& o, const std::string& v) { o.metrics = v; }},
      {"progress-every", "SECONDS", "how often the metrics report speed and progress (default 10)",
       [](Options& o, const std::string& v) {
         o.progress_every = number<uint32_t>("progress-every", v, 1, 86400);
       }},
      {"predict", "PICTURE",
       "do not train: print the class of a picture (PGM or bytes), with the network in --checkpoint-dir",
       [](Options& o, const std::string& v) { o.predict = v; }},
      {"serve", "PORT",
       "do not train: answer HTTP requests (POST of a picture: its class), with the network in "
       "--checkpoint-dir",
       [](Options& o, const std::string& v) { o.serve = number<uint16_t>("serve", v, 0, 65535); }},
      {"serve-address", "ADDRESS",
       "where --serve listens (default 127.0.0.1, only for this machine); :: is every address, as a pod "
       "needs",
       [](Options& o, const std::string& v) { o.serve_address = v; }},
      {"help", nullptr, "show this help and exit", [](Options& o, const std::string&) { o.help = true; }},
      {"version", nullptr, "show the version and exit",
       [](Options& o, const std::string&) { o.version = true; }},
  };
  return table;
}

}  // namespace trainer
