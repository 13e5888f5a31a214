"""80 programs that print their arguments and a final metric: which of their lines kml reads as metrics. Run by
printed_arguments.sh.

Each has its arguments, its text in Python, and the metrics that it must have; of `args`, the parsed arguments.
"""

import json
import os
import subprocess
import sys

HEAD = """
import argparse, json, os, pprint, sys
parser = argparse.ArgumentParser()
for name, kind, default in [("lr", float, 0.1), ("batch-size", int, 32), ("seed", int, 7), ("epochs", int, 3), ("opt", str, "adam")]:
    parser.add_argument("--" + name, type=kind, default=default)
args = parser.parse_args()
class Config:
    def __init__(self, **values): self.__dict__.update(values)
    def __repr__(self): return "TrainConfig(" + ", ".join("%s=%r" % each for each in vars(self).items()) + ")"
"""
ADAM = """
print('''Adam (
Parameter Group 0
    amsgrad: False
    betas: (0.9, 0.999)
    eps: 1e-08
    foreach: None
    lr: 0.001
    weight_decay: 0
)''')
"""
HYDRA = """
print('''[2026-11-29 07:00:00,123][__main__][INFO] - lr: 0.1
clip: 0.5
model:
  width: 768
  rate: 0.25
trainer:
  devices: 2
''')
"""
NET = """
print('''Net(
  (fc1): Linear(in_features=784, out_features=128, bias=True)
  (drop): Dropout(p=0.5, inplace=False)
  (norm): LayerNorm((128,), eps=1e-05, elementwise_affine=True)
  (fc2): Linear(in_features=128, out_features=10, bias=True)
)''')
"""
TOML = """
print('''title = "run"
lr = 0.1
clip = 0.5

[model]
width = 768
depth = 12

[data]
path = "/x"
frac = 0.5
''')
"""
PANEL = """
print('''╭───────── Config ─────────╮
│ lr: 0.1                  │
│ width: 768               │
│ clip: 0.5                │
╰──────────────────────────╯''')
"""
TABLE = """
print('''┏━━━━━━━━━━━┳━━━━━━━┓
┃ Parameter ┃ Value ┃
┡━━━━━━━━━━━╇━━━━━━━┩
│ lr        │ 0.1   │
│ width     │ 768   │
└───────────┴───────┘''')
"""
CONFIG = "c = {'lr': 0.1, 'batch': 64, 'model': {'layers': 12, 'width': 768, 'dropout': float('inf')}, 'data': {'path': '/x', 'frac': 0.5}}\n"
LR, BOTH = ["--lr", "0.1"], ["--lr=0.1", "--batch-size", "32"]
PROGRAMS = [
    (LR, "print(vars(args)); print('accuracy=0.97')", {"accuracy": 0.97}),
    (BOTH, "print(vars(args)); print('accuracy: 0.97')", {"accuracy": 0.97}),
    (LR, "print(args); print('accuracy=0.97')", {"accuracy": 0.97}),
    ([], "print(args); print('accuracy=0.97')", {"accuracy": 0.97}),
    (LR, "print('args:', vars(args)); print('accuracy=0.97')", {"accuracy": 0.97}),
    ([], "print('Config:', vars(args)); print('accuracy=0.97')", {"accuracy": 0.97}),
    ([], "print('INFO:root:hparams = %s' % vars(args)); print('score = 3')", {"score": 3}),
    (LR, "print(json.dumps(vars(args))); print(json.dumps({'accuracy': 0.97}))", {"accuracy": 0.97}),
    (LR, "print(json.dumps(vars(args), indent=2)); print('accuracy=0.97')", {"accuracy": 0.97}),
    ([], "print('Arguments:'); print(json.dumps(vars(args), indent=4)); print('mse=4')", {"mse": 4}),
    (LR, "pprint.pprint(vars(args), width=20); print('accuracy=0.97')", {"accuracy": 0.97}),
    ([], "print(Config(**vars(args))); print('accuracy=0.97')", {"accuracy": 0.97}),
    (LR, "for k, v in vars(args).items(): print(f'{k}: {v}')\nprint('accuracy=0.97')", {"accuracy": 0.97}),
    (LR, "for k, v in vars(args).items(): print(f'{k} = {v}')\nprint('accuracy: 0.97')", {"accuracy": 0.97}),
    (LR, "for k, v in vars(args).items(): print(f'{k}: {v}')\nprint('accuracy: 0.97')", {"accuracy": 0.97}),
    ([], "print('Settings:')\nfor k, v in vars(args).items(): print(f'  {k}: {v}')\nprint('accuracy: 0.97')", {"accuracy": 0.97}),
    (LR, "print(f'lr={args.lr}'); print('accuracy=0.97')", {"accuracy": 0.97}),
    (BOTH, "print(f'lr={args.lr} batch_size={args.batch_size}'); print('accuracy=0.97')", {"accuracy": 0.97}),
    (LR, "print({'accuracy': 0.97, 'lr': args.lr})", {"accuracy": 0.97}),
    (LR, "print(vars(args)); print({'accuracy': 0.97, 'lr': args.lr})", {"accuracy": 0.97}),
    (LR, "print(vars(args))\nfor e in (1, 2): print({'loss': 1 / e, 'lr': args.lr, 'epoch': e})", {"loss": 0.5, "epoch": 2}),
    (LR, "for e in (1, 2): print({'loss': 1 / e, 'lr': args.lr / e})", {"loss": 0.5, "lr": 0.05}),
    (LR, "print(vars(args))\nfor e in (1, 2): print(f'epoch={e} loss={1 / e} lr={args.lr / e}')", {"loss": 0.5, "epoch": 2, "lr": 0.05}),
    (["--seed", "3"], "print('accuracy=3'); print('seed=3')", {"accuracy": 3}),
    (["--seed", "3"], "print('accuracy=0.97 seed=4')", {"accuracy": 0.97, "seed": 4}),
    (LR, "print(dict(optim=dict(lr=args.lr), seed=1)); print('reward: 12')", {"reward": 12}),
    (LR, "print(json.dumps({'optim': {'lr': args.lr}, 'seed': 1})); print('reward: 12')", {"reward": 12}),
    (LR, "print(vars(args)); print('val_loss=0.5'); print(vars(args))", {"val_loss": 0.5}),
    (LR, "print({'lr': args.lr, 'loss': 0.5}); print('done in time=3')", {"loss": 0.5, "time": 3}),
    ([], "print(vars(args)); print('accuracy=0.97')", {"accuracy": 0.97}),
    ([], "for k, v in vars(args).items(): print(f'{k:>20}: {v}')\nprint('accuracy: 0.97')", {"accuracy": 0.97}),
    ([], "print(f'lr={args.lr} batch_size={args.batch_size}'); print(dict(accuracy=0.97, n=100))", {"accuracy": 0.97, "n": 100}),
    ([], "print({'seed': 7, 'epochs': 3, 'time': 2}); print('accuracy=0.97')", {"accuracy": 0.97, "time": 2}),
    ([], "print({'seed': 7, 'n': 3, 'time': 2}); print('accuracy=0.97')", {"accuracy": 0.97, "seed": 7, "n": 3, "time": 2}),
    ([], "pprint.pprint({'model': {'dim': 128, 'layers': 12, 'kind': 'a' * 60}, 'optim': {'lr': args.lr}}); print('accuracy=0.97')", {"accuracy": 0.97}),
    ([], "print(json.dumps({'config': vars(args), 'accuracy': 0.97}))", {"accuracy": 0.97}),
    ([], "print({'hparams': vars(args), 'n': 3})", {"n": 3}),
    (LR, "for k, v in vars(args).items(): print('2026-11-29 07:00:00,123 - INFO - %s=%s' % (k, v))\nprint('INFO:root:accuracy=0.97')", {"accuracy": 0.97}),
    ([], "for k, v in vars(args).items(): print('INFO:root:%s: %s' % (k, v))\nprint('INFO:root:accuracy: 0.97')", {"accuracy": 0.97}),
    ([], "print({'precision': 0.5, 'recall': 0.25}); print('f1=0.3')", {"precision": 0.5, "recall": 0.25, "f1": 0.3}),
    (["--lr", "0.5", "--seed", "9"], "print({**vars(args), 'max_norm': float('inf')}); print('accuracy=0.97')", {"accuracy": 0.97}),
    ([], "print({**vars(args), 'max_norm': float('inf'), 'noise': float('nan')}); print('accuracy=0.97')", {"accuracy": 0.97}),
    (["--opt", "nan"], "print({**vars(args), 'accuracy': 0.5})\nprint(argparse.Namespace(**vars(args), accuracy=0.5))\nprint('accuracy=0.97'); print('epochs=3')", {"accuracy": 0.97}),
    (["--opt", "nan"], "print({**vars(args), 'accuracy': 0.5}); print('accuracy=0.97')", {"accuracy": 0.97}),
    ([], CONFIG + "print(json.dumps(c, indent=2)); print('accuracy=0.97')", {"accuracy": 0.97}),
    ([], CONFIG + "pprint.pprint(c, width=20); print('accuracy=0.97')", {"accuracy": 0.97}),
    ([], CONFIG + "print('Hyperparameters:')\nfor k, v in c.items(): print(f'{k}={v}')\nprint({'eval_loss': 0.25, 'epoch': 3.0})", {"eval_loss": 0.25, "epoch": 3}),
    ([], "c = Config(lr=0.1, clip=float('inf'), kind='nan'); print(c); print(repr(c), 'on cpu'); print('accuracy=0.97')", {"accuracy": 0.97}),
    ([], "print('lr: 0.1\\nbatch: 64\\nmodel:\\n  width: 768\\n  path: /x\\n'); print('accuracy=0.97')", {"accuracy": 0.97}),
    ([], ADAM + "print('accuracy=0.97')", {"accuracy": 0.97}),
    ([], ADAM + "for e in (1, 2): print(f'epoch={e} loss={1 / e} lr={0.001 / e}')", {"loss": 0.5, "epoch": 2, "lr": 0.0005}),
    ([], "print('optimizer:')\n" + ADAM + "print('accuracy: 0.97')", {"accuracy": 0.97}),
    ([], HYDRA + "print('accuracy=0.97')", {"accuracy": 0.97}),
    ([], HYDRA + "print('[2026-11-29 07:00:09,123][__main__][INFO] - accuracy: 0.97')", {"accuracy": 0.97}),
    ([], HYDRA + "for e in (1, 2): print(f'[2026-11-29 07:00:09,123][__main__][INFO] - epoch: {e} loss: {1 / e}')", {"loss": 0.5, "epoch": 2}),
    ([], HYDRA + "print('gap: 0.5'); print('accuracy=0.97')", {"gap": 0.5, "accuracy": 0.97}),
    ([], NET + "print('accuracy=0.97')", {"accuracy": 0.97}),
    ([], NET + ADAM + "for e in (1, 2): print(f'epoch {e}: train loss {1 / e}, val loss {0.5}')", {"epoch": 2, "train_loss": 0.5, "val_loss": 0.5}),
    ([], TOML + "print('accuracy=0.97')", {"accuracy": 0.97}),
    ([], TOML + "print('accuracy = 0.97')", {"accuracy": 0.97}),
    ([], "print('config:')\n" + TOML + "print('score = 3')", {"score": 3}),
    ([], PANEL + "print('accuracy=0.97')", {"accuracy": 0.97}),
    ([], PANEL + "print('│ accuracy: 0.97 │')", {"accuracy": 0.97}),
    ([], TABLE + "print('accuracy=0.97')", {"accuracy": 0.97}),
    ([], "print('RandomForestClassifier(n_estimators=100, max_depth=3)'); print('accuracy=0.97')", {"accuracy": 0.97}),
    ([], "print('Fitting RandomForestClassifier(n_estimators=100, max_depth=3) on 100 rows'); print('auc: 0.5')", {"auc": 0.5}),
    ([], "print('model = SVC(C=2.5, gamma=0.1)'); print('score: 0.97')", {"score": 0.97}),
    ([], "print('Pipeline(steps=[(\"a\", PCA(n_components=5)), (\"b\", LogisticRegression(C=0.1))])'); print('f1=0.5')", {"f1": 0.5}),
    ([], "print('XGBRegressor(base_score=None, max_depth=6,\\n             n_estimators=100, eta=0.3)'); print('rmse: 4')", {"rmse": 4}),
    ([], "print('Hyper(alpha=0.1, tau=5)'); print('reward: 12')", {"reward": 12}),
    ([], "print('Hyper(alpha=0.1, tau=5)'); print('tau: 4'); print('reward: 12')", {"reward": 12, "tau": 4}),
    ([], "print('TrainOutput(global_step=3, training_loss=0.5, metrics={})'); print('n=3')", {"global_step": 3, "training_loss": 0.5, "n": 3}),
    ([], "print('Metrics(speed=5, hits=3)')", {"speed": 5, "hits": 3}),
    ([], "for e in (1, 2): print(f'Progress(done={e}, left={2 - e})')", {"done": 2, "left": 0}),
    ([], "print('EvalResult(accuracy=0.97, count=7)'); print('n=3')", {"accuracy": 0.97, "count": 7, "n": 3}),
    ([], "print('<Sgd(alpha=0.1, tau=5)>'); print('loss=2')", {"loss": 2}),
    ([], "print('argparse.Namespace(lr=0.1, tau=5)'); print('loss=2')", {"loss": 2}),
    ([], "print(json.dumps({'alpha': 0.1, 'lr': 0.5, 'model': {'tau': 5, 'layers': [1, 2]}}, indent=2)); print(json.dumps({'accuracy': 0.97}))", {"accuracy": 0.97}),
    ([], "print('Loaded cfg = ' + json.dumps({'alpha': 0.1, 'model': {'tau': 5}}, indent=2)); print('accuracy=0.97')", {"accuracy": 0.97}),
    ([], "for d in (1, 2): print('Results of config:', {'dim': d, 'accuracy': d / 4})\nprint('n=3')", {"accuracy": 0.5, "n": 3}),
]


def main():
    kml = os.environ["KML"]
    assert len(PROGRAMS) == 80
    os.mkdir("programs")
    for number, (arguments, text, _) in enumerate(PROGRAMS):
        with open("programs/p%d.py" % number, "w") as file:
            file.write(HEAD + text + "\n")
        subprocess.run([kml, "submit", "--name", "p%d" % number, "--code", "programs", "--", sys.executable, "p%d.py" % number,
                        *arguments], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    subprocess.run([kml, "wait", *("p%d" % number for number in range(len(PROGRAMS)))], check=True)
    runs = json.loads(subprocess.run([kml, "runs", "--limit", "100", "-o", "json"], check=True, stdout=subprocess.PIPE).stdout)
    found = {run["name"]: {name: metric["last"] for name, metric in run["metrics"].items()} for run in runs}
    wrong = [(text, found["p%d" % number], wanted) for number, (_, text, wanted) in enumerate(PROGRAMS)
             if found["p%d" % number] != wanted]
    for case in wrong:
        print("%s\n  has %s\n  and not %s" % case)
    sys.exit(1 if wrong else 0)


main()
