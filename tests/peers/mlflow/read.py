"""Compares the data that MLflow's client reads with the data that the run of push.sh logged: read.py
one|long|nested|parents|names."""

import math
import sys

import mlflow

client = mlflow.MlflowClient()


def runs(experiment):
    found = client.get_experiment_by_name(experiment)
    return client.search_runs([found.experiment_id]) if found else []


def history(run, key):
    return [(m.step, m.value) for m in sorted(client.get_metric_history(run.info.run_id, key), key=lambda m: m.step)]


def one():
    (run,) = runs("a/b §")
    assert run.info.run_name == "one" and run.info.status == "FINISHED", run.info
    assert 0 < run.info.start_time <= run.info.end_time, run.info
    loss = history(run, "loss")
    assert loss[:3] == [(1, 0.9), (2, 0.8), (3, 0.7)] and len(loss) == 6, loss
    assert loss[3][0] == 4 and math.isnan(loss[3][1]) and loss[4][1] > 1e308 and loss[5][1] < -1e308, loss
    assert history(run, "acc_5") == [(1, 0.5), (2, 0.5), (3, 0.5)], history(run, "acc_5")
    times = [m.timestamp for m in client.get_metric_history(run.info.run_id, "loss")]
    assert all(run.info.start_time - 2000 <= time <= run.info.end_time + 2000 for time in times), (times, run.info)
    params, tags = run.data.params, run.data.tags
    assert params["lr"] == "0.1" and params["epochs"] == "5" and params["text"] == "ä" * 6000, params
    assert [key for key in params if key.startswith("xxx") and len(key) == 250], params.keys()
    assert tags["paper"] == "yes" and tags["odd name_"] == "§" and tags["mlflow.note.content"] == "the best so far", tags
    assert tags["kml.state"] == "Succeeded" and tags["mlflow.source.name"].startswith("sh -c"), tags


def long():
    (run,) = runs("kml")
    for key, value in (("loss", 0.5), ("acc", 0.25)):
        assert history(run, key) == [(step, value) for step in range(1, 20001)], key


def nested():
    found = {run.info.run_name: run for run in runs("nested")}
    parent = found["tune"].info.run_id
    trials = [run for run in found.values() if run.data.tags.get("mlflow.parentRunId") == parent]
    assert sorted((run.data.params["lr"], *history(run, "loss")) for run in trials) == [
        (lr, *((step, float(lr)) for step in (1, 2, 3))) for lr in ("0.1", "0.2")], trials
    for name, path, text in (("made", "job/all/a b/§", "weights\n"), ("logged", "notes/notes.txt", "kept")):
        file = mlflow.artifacts.download_artifacts(run_id=found[name].info.run_id, artifact_path=path)
        assert open(file).read() == text, path


def parents():
    found = {run.info.run_id: run for run in runs("parents")}
    (root,) = [run for run in found.values() if "mlflow.parentRunId" not in run.data.tags]
    assert root.info.run_name == "parent" and root.data.metrics["loss"] == 0.5, root
    assert history(root, "loss") == [(1, 0.25), (3, 0.5)], history(root, "loss")
    chains = sorted((run.info.run_name, found[run.data.tags["mlflow.parentRunId"]].info.run_name, run.info.status)
                    for run in found.values() if run is not root)
    assert chains == [("deep", "fold 1", "FINISHED"), ("deep", "fold 2", "FINISHED"),
                      ("fold 1", "parent", "FINISHED"), ("fold 2", "parent", "FINISHED")], chains
    assert all(math.isnan(run.data.metrics["loss"]) for run in found.values() if run.info.run_name == "deep")


def names():
    (run,) = runs("names")
    assert run.data.metrics["Genauigkeit/größe"] == 0.5 and run.data.params["学習率"] == "0.25", run.data
    for path, text in (("epoch=3.ckpt", "a"), ("c.txt", "c")):
        assert open(mlflow.artifacts.download_artifacts(run_id=run.info.run_id, artifact_path=path)).read() == text, path
    assert "kml.artifact.epoch_3.ckpt" in run.data.tags and "kml.artifact.b.txt" not in run.data.tags, run.data.tags


{"one": one, "long": long, "nested": nested, "parents": parents, "names": names}[sys.argv[1]]()
