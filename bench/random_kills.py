#!/usr/bin/env python3
"""Kills hone at random moments and counts what is lost.

  bench/random_kills.py build/hone            100 kills over all commands that write the store
  bench/random_kills.py build/hone 20 bench   20 kills of `hone bench`

Each command runs on a tiny problem. It is killed by SIGKILL, SIGINT or SIGTERM at a random moment,
and started again, until it has been killed as often as asked. After every kill the store must be
intact, and every trial and sample that was ever seen must still be there. An undisturbed run
completes the rest. Prints one line per command, and exits with 1 if anything was lost, doubled or
left.

lost      trials that disappeared, or have fewer samples than before
doubled   trials repeated by a new run although the command had an unfinished run with them
orphans   processes that survived hone by 5 s
partial   output files that are incomplete
"""
import argparse
import ctypes
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SIGNALS = [signal.SIGKILL, signal.SIGINT, signal.SIGTERM]
PR_SET_CHILD_SUBREAPER = 36
MATMUL = """func.func @main(%a: tensor<48x64xf32>, %b: tensor<64x32xf32>) -> tensor<48x32xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<48x32xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<48x32xf32>) -> tensor<48x32xf32>
  %c = linalg.matmul ins(%a, %b : tensor<48x64xf32>, tensor<64x32xf32>)
                     outs(%fill : tensor<48x32xf32>) -> tensor<48x32xf32>
  return %c : tensor<48x32xf32>
}
"""


def tiles(name, rows, columns):
    """Returns a config with tiles of these sizes."""
    sizes = (f"distribution = [{rows}, {columns}, 0], cache_parallel = [{rows}, {columns}, 0], "
             f"vector_common_parallel = [{min(rows, 4)}, {min(columns, 16)}, 0], "
             "vector_reduction = [0, 0, 1]")
    value = (f"#iree_codegen.compilation_info<lowering_config = #iree_cpu.lowering_config<{sizes}>, "
             "translation_info = #iree_codegen.translation_info<pipeline = "
             "#iree_cpu.pipeline<DoubleTilingExpert>>>")
    attribute = {"op": "linalg.matmul", "name": "compilation_info", "value": value}
    return {"name": name, "attributes": [attribute]}


class Scenario:
    """A command in a fresh folder, with its store."""

    def __init__(self, name, arguments, outputs):
        self.name = name
        self.arguments = arguments
        self.outputs = outputs
        self.kills = 0
        self.lost = 0
        self.doubled = 0
        self.orphans = 0
        self.partial = []
        self.problems = []
        self.trials = {}
        self.runs = {}
        self.folder = None

    def enter(self):
        self.folder = Path(tempfile.mkdtemp(prefix="random-kills-"))
        (self.folder / "tmp").mkdir()
        (self.folder / "m.mlir").write_text(MATMUL)
        (self.folder / "work.txt").write_text(
            "gemm -m 8 -n 12 -k 2048\ngemm -m 4 -n 4 -k 4096\n")
        for kind in ("softmax.cc", "softmax.reference.cc"):
            shutil.copy(ROOT / "tests/exploits/problems" / kind, self.folder / kind)
        configs = [tiles(f"t{i}", 4 << (i % 3), 8 << (i // 3)) for i in range(6)]
        (self.folder / "c.json").write_text(json.dumps(configs))
        self.trials = {}
        self.runs = {}

    def leave(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self, hone):
        environment = dict(os.environ, HONE_STORE=str(self.folder / "hone.db"),
                           TMPDIR=str(self.folder / "tmp"), HOME=str(self.folder),
                           # Another lock than that of measurements on this machine: times do not
                           # matter here, and a process that waits is killed while it waits.
                           SLURMD_NODENAME=f"random-kills-{os.getpid()}")
        environment.setdefault("HONE_IREE", str(ROOT / ".venv"))
        with open(self.folder / "stdout", "wb") as out, open(self.folder / "stderr", "wb") as err:
            return subprocess.Popen([hone, *self.arguments], cwd=self.folder, env=environment,
                                    stdin=subprocess.DEVNULL, stdout=out, stderr=err)

    def error(self):
        return (self.folder / "stderr").read_text(errors="replace").strip()[-300:]

    def read_store(self):
        """Returns runs as {id: (key, status)} and trials as {(run, key): samples}."""
        file = self.folder / "hone.db"
        if not file.exists():
            return {}, {}
        store = sqlite3.connect(file)
        try:
            if store.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
                self.problems.append("damaged store")
            if not store.execute("SELECT 1 FROM sqlite_master WHERE name = 'samples'").fetchall():
                return {}, {}
            runs = {run: (key, status) for run, key, status in
                    store.execute("SELECT id, key, status FROM runs")}
            trials = {(run, key): samples for run, key, samples in store.execute(
                "SELECT run, key, (SELECT count(*) FROM samples WHERE trial = trials.id) "
                "FROM trials")}
            return runs, trials
        finally:
            store.close()

    def check_store(self):
        """Compares the store with its contents before the last start."""
        runs, trials = self.read_store()
        self.lost += sum(trials.get(one, -1) < samples for one, samples in self.trials.items())
        # Only a finished run may be followed by another one with the same key.
        for run, key in trials:
            self.doubled += run not in self.runs and any(
                self.runs[earlier] == (runs[run][0], status) and (earlier, key) in self.trials
                for earlier, (_, status) in self.runs.items() if status != "finished")
        self.runs, self.trials = runs, trials

    def check_outputs(self):
        """Output files are complete or missing."""
        for pattern in self.outputs:
            for file in self.folder.glob(pattern):
                text = file.read_bytes()
                whole = text.endswith((b"\n", b"}")) and len(text) > 0
                if file.suffix == ".json":
                    try:
                        json.loads(text)
                    except ValueError:
                        whole = False
                if not whole:
                    self.partial.append(file.name)

    def check_status(self):
        unfinished = sum(status != "finished" for _, status in self.runs.values())
        if unfinished:
            self.problems.append(f"{unfinished} unfinished runs")
        leftover = [entry.name for entry in (self.folder / "tmp").iterdir()]
        if leftover:
            self.problems.append(f"{len(leftover)} leftover folders, e.g. {leftover[0]}")


def children():
    """Returns all child processes, among them orphans that this process adopted."""
    text = Path(f"/proc/self/task/{os.getpid()}/children").read_text()
    return [int(pid) for pid in text.split()]


def reap_orphans():
    """Waits for orphans to end; returns how many did not and were killed."""
    deadline = time.monotonic() + 5
    while children() and time.monotonic() < deadline:
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                time.sleep(0.02)
        except ChildProcessError:
            break
    left = children()
    for pid in left:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    return len(left)


def check_ending(scenario, code, expected):
    """Checks everything after hone ended with this code."""
    if code not in expected:
        scenario.problems.append(f"exit code {code}: {scenario.error()}")
    scenario.orphans += reap_orphans()
    scenario.check_store()
    scenario.check_outputs()
    if code in (0, 1):
        scenario.check_status()


def complete(scenario, hone):
    """Runs the command to its end; returns the seconds it took."""
    begin = time.monotonic()
    code = scenario.start(hone).wait()
    span = time.monotonic() - begin
    check_ending(scenario, code, (0, 1))
    return span


def kill_later(scenario, hone, delay):
    """Starts the command and kills it after `delay` seconds; returns false if it ended before."""
    process = scenario.start(hone)
    try:
        check_ending(scenario, process.wait(delay), (0, 1))
        return False
    except subprocess.TimeoutExpired:
        pass
    name = random.choice(SIGNALS)
    process.send_signal(name)
    code = process.wait()
    scenario.kills += 1
    expected = (-signal.SIGKILL,) if name == signal.SIGKILL else (130, -name)
    check_ending(scenario, code, (*expected, 0, 1))
    return True


def disturb(scenario, hone, count):
    """Kills the command `count` times; starts over in a new folder whenever it completes."""
    scenario.enter()
    span = complete(scenario, hone)
    scenario.leave()
    scenario.enter()
    while scenario.kills < count:
        killed = kill_later(scenario, hone, random.uniform(0, span))
        if killed and scenario.kills % 5:
            continue
        if killed:
            complete(scenario, hone)
        scenario.leave()
        scenario.enter()
    complete(scenario, hone)
    scenario.leave()


def scenarios():
    return [
        Scenario("bench", ["bench", "m.mlir", "--configs", "c.json", "--rounds", "5"], []),
        Scenario("tune", ["tune", "m.mlir", "--budget", "8trials", "--rounds", "5", "-o",
                          "spec.mlir"], ["spec.mlir*"]),
        Scenario("split", ["split", "quick", "work.txt"], ["*_results/*"]),
        Scenario("profile", ["profile", "--problem-m", "16:64:16", "--problem-n", "32",
                             "--problem-k", "32", "-o", "data.csv"], ["*.csv*"]),
        Scenario("kernel", ["kernel", "optimize", "--kernel", "softmax.cc", "--max-iterations", "2",
                            "--candidates", "2", "--rounds", "5"],
                 ["*_optimized_*", "results/multiturn_logs/*"]),
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("hone")
    parser.add_argument("kills", type=int, nargs="?", default=100)
    parser.add_argument("names", nargs="*", help="commands to kill (default: all)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    random.seed(options.seed)
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    chosen = [one for one in scenarios() if not options.names or one.name in options.names]
    hone = str(Path(options.hone).resolve())
    failed = False
    print(f"{'command':10}{'kills':>7}{'lost':>7}{'doubled':>9}{'orphans':>9}{'partial files':>15}")
    for index, scenario in enumerate(chosen):
        try:
            disturb(scenario, hone, (options.kills + len(chosen) - 1 - index) // len(chosen))
        except KeyboardInterrupt:
            scenario.problems.append("interrupted")
        print(f"{scenario.name:10}{scenario.kills:7}{scenario.lost:7}{scenario.doubled:9}"
              f"{scenario.orphans:9}{len(scenario.partial):15}", flush=True)
        for problem in scenario.partial + scenario.problems:
            print(f"  {problem}", flush=True)
        failed |= bool(scenario.lost or scenario.doubled or scenario.orphans or scenario.partial
                       or scenario.problems)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
