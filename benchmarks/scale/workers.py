#!/usr/bin/env python3
"""Growth on a cluster of this machine, and a simulation of larger clusters from the times of its tasks.

Usage: python3 benchmarks/scale/workers.py --folder SCRATCH [--sizes 1e6,1e7,1e8] [--compared 1e7] [--profile release] [--no-build]
       python3 benchmarks/scale/workers.py --simulate

First, a release of each size is made on two slots, one for each core: CPU seconds may grow with rows to the power of at most 1.05. Then a
release of one size is made on 1, 2 and 4 slots. A simulation takes the times of tasks from the run on one slot, and has to say the wall time of
the others within 15 %. It takes the times of tasks from the largest release, and draws those of 10¹⁰ and 10¹² rows on 10 to 1,000 workers of 16
slots from them, with slow tasks, lost workers and a file system that takes time for each file.

Writes workers.json (what the scheduler said) and workers.md beside this file. `--simulate` measures nothing: it takes what is in workers.json.
"""
import argparse
import heapq
import json
import math
import os
import random
import statistics
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "papers")]
import plots  # noqa: E402
from cluster import FEATURES, Cluster, release, table_of  # noqa: E402
from model import lasting  # noqa: E402
from one_machine import sizes, slope  # noqa: E402

MEASURED = HERE / "workers.json"
# Rows of a task, if there are more than 64 times as many, and the most tasks of a job (`TaskSizes` of incrowd-engine).
MOST_ROWS, USUAL_TASKS, MOST_TASKS = 2**21, 64, 2**17
# Of a worker: its slots. Assumed: how many tasks are slow and how much, how often a worker is lost, and after how many seconds that is noticed.
SLOTS, SLOW, SLOWER, LOST_DAYS, NOTICED = 16, 0.01, 5, 30, 60
# Seconds to open and read the beginning of a file: a local disk, a shared file system. Assumed, too.
PER_FILE = (50e-6, 1e-3)
DRAWS = 20
# The jobs whose tasks read a piece of what each task of the job before wrote.
READS_ALL = ("merge", "add-up", "write", "published")


def tasks_of(rows):
    return max(USUAL_TASKS, min(MOST_TASKS, -(-rows // MOST_ROWS)))


def jobs_of(cluster, since):
    """The stages of the jobs that began after a time, in order: name, task node, begin and end, and of each task the seconds it ran and
    those it held its slot."""
    jobs = sorted((job for job in cluster.asked("/api/jobs") if job["start_time"] >= since * 1000), key=lambda job: job["start_time"])
    for job in jobs:
        stages = cluster.asked(f"/api/job/{job['job_id']}/stages")["stages"]
        done = [[task for task in stage["tasks"] if task] for stage in stages]
        tasks = [[(task["exec_duration"] / 1000, (task["finish_time"] - task["scheduled_time"]) / 1000) for task in stage] for stage in done]
        nodes = [stage["stage_plan"].split("TaskNode: ")[-1].split(",")[0] if "TaskNode: " in stage["stage_plan"] else "" for stage in stages]
        yield {"name": job["job_name"].removeprefix("incrowd "), "node": nodes[-1], "start": job["start_time"] / 1000,
               "end": job["end_time"] / 1000, "stages": tasks}


def measured(incrowd, folder, rows, slots):
    cluster = Cluster(incrowd, 1, slots, folder)
    try:
        time.sleep(1)
        since, before, scheduler = time.time(), cluster.cpu(), cluster.cpu(cluster.processes[:1])
        got = release(incrowd, table_of(incrowd, folder, rows, 64), folder / "remote", "--cluster", cluster.url)
        answer, jobs = json.loads(got["output"]), list(jobs_of(cluster, since))
        assert answer["verified"]
        print(f"{rows:,} rows on {slots} slots: {got['wall']:.1f} s", flush=True)
        return {"rows": rows, "slots": slots, "wall": got["wall"], "cpu": got["cpu"] + cluster.cpu() - before,
                "scheduler": cluster.cpu(cluster.processes[:1]) - scheduler, "solve": answer["solve_seconds"], "tuples": answer["tuples"],
                "jobs": jobs}
    finally:
        cluster.end()


def makespan(tasks, slots, cores, spacing):
    """Seconds until all tasks are done. An executor is handed tasks at most once in `spacing` seconds: as many as it has free slots, but one is
    left if there are several. A task runs at the speed that its share of the cores allows."""
    waiting, running, now, handed = list(reversed(tasks)), [], 0.0, -math.inf
    while waiting or running:
        free = slots - len(running)
        if waiting and free and now >= handed + spacing - 1e-9:
            running += [waiting.pop() for _ in range(min(max(1, free - 1), len(waiting)))]
            handed, free = now, slots - len(running)
        speed = min(1.0, cores / len(running)) if running else 1.0
        step = min([left / speed for left in running] + [handed + spacing - now for _ in waiting[:1] if free])
        now += step
        running = [left - step * speed for left in running if left - step * speed > 1e-9]
    return now


def spacing_of(run):
    """How often tasks are handed out: seen in jobs of short tasks on one slot."""
    stages = [(job, stage) for job in run["jobs"] for stage in job["stages"] if len(stage) > 32]
    short = [sum(held for _, held in stage) / len(stage) for _, stage in stages if statistics.fmean(ran for ran, _ in stage) < 0.02]
    return statistics.median(short)


def again(run, slots, cores, spacing):
    """The wall time of a run if it had this many slots: what is not in a job stays as it is."""
    within = sum(job["end"] - job["start"] for job in run["jobs"])
    times = [[[ran for ran, _ in stage] for stage in job["stages"]] for job in run["jobs"]]
    return run["wall"] - within + sum(makespan(stage, slots, cores, spacing) for stages in times for stage in stages)


def scheduler_costs(one, other):
    """CPU seconds of the scheduler for each task, and for each second of a run, from two runs."""
    many = [sum(len(stage) for job in run["jobs"] for stage in job["stages"]) for run in (one, other)]
    determinant = many[0] * other["wall"] - many[1] * one["wall"]
    per_task = (one["scheduler"] * other["wall"] - other["scheduler"] * one["wall"]) / determinant
    return max(per_task, 0.0), (many[0] * other["scheduler"] - many[1] * one["scheduler"]) / determinant


def drawn(random_state, job, rows, from_rows, workers, per_file, dispatch):
    """The seconds of a job at a size: tasks drawn from those that were measured, some of them slow, some of them lost with their worker. The
    scheduler hands out one after the other."""
    many = tasks_of(rows)
    scale = (rows / many) / (from_rows / tasks_of(from_rows))
    known = [ran * scale for stage in job["stages"] for ran, _ in stage]
    # Tasks of small tables run several numbers at once: their sum is kept.
    known_mean = sum(known) / tasks_of(from_rows)
    shape = [seconds / statistics.fmean(known) for seconds in known]
    files = per_file * (many if job["node"] in READS_ALL else 1)
    free = [0.0] * (workers * SLOTS)
    last = 0.0
    for number in range(many):
        seconds = known_mean * random_state.choice(shape) * (SLOWER if random_state.random() < SLOW else 1) + files
        end = max(heapq.heappop(free), number * dispatch) + seconds
        # Its worker is lost while it runs: that is noticed later, and the task is run again.
        if random_state.random() < seconds / (LOST_DAYS * 86400):
            end += NOTICED + seconds
        last = max(last, end)
        heapq.heappush(free, end)
    # The one who asked reads what each task left.
    return last + per_file * many


class Page:
    def __init__(self):
        self.lines = []

    def say(self, line=""):
        print(line, flush=True)
        self.lines.append(line)

    def growth(self, runs):
        self.say("## Growth\n\nOn one executor with two slots.\n\n| rows | tuples | wall s | of these solving | CPU s | CPU µs per row |\n| " + "---: | " * 6)
        for run in runs:
            self.say(f"| {run['rows']:,} | {run['tuples']:,} | {run['wall']:.1f} | {run['solve']:.1f} | {run['cpu']:.1f} | {1e6 * run['cpu'] / run['rows']:.2f} |")
        power = slope([(run["rows"], run["cpu"]) for run in runs])
        self.say(f"\nCPU seconds grow with rows to the power of **{power:.2f}** (bar: 1.05).")

    def compared(self, runs, cores):
        one = next(run for run in runs if run["slots"] == 1)
        spacing = spacing_of(one)
        self.say(f"\n## The simulation beside measurements\n\n{one['rows']:,} rows, {cores} cores. The times of tasks are those of the run on one slot. "
                 f"An executor is handed tasks every {1000 * spacing:.0f} ms, which is seen in the short tasks of the same run. How many it is handed was found on these runs: this is a fit.\n")
        self.say("| slots | measured wall s | simulated | error |\n| ---: | ---: | ---: | ---: |")
        for run in runs:
            guess = again(one, run["slots"], cores, spacing)
            self.say(f"| {run['slots']} | {run['wall']:.1f} | {guess:.1f} | {100 * (guess / run['wall'] - 1):+.0f} % (bar: 15 %) |")

    def beyond(self, run, one, draws):
        gaps = run["wall"] - run["solve"] - sum(job["end"] - job["start"] for job in run["jobs"])
        dispatch, polls = scheduler_costs(one, run)
        self.say(f"\n## Larger clusters\n\nSimulated, not measured. Tasks are drawn from those of {run['rows']:,} rows; workers have {SLOTS} slots. Assumed: "
                 f"{100 * SLOW:.0f} % of tasks take {SLOWER} times as long, each worker is lost every {LOST_DAYS} days, which is noticed after {NOTICED} s, and "
                 "each file takes the time that is given. A job has as many tasks as the table has stretches of at most "
                 f"2²¹ rows, and at most 2¹⁷; the scheduler took {1000 * dispatch:.1f} ms of CPU time for each, and hands them out one after the other. What runs on the machine "
                 f"that asked is what it was ({gaps:.0f} s), without solving, which model.md predicts. Not simulated: the scheduler also took "
                 f"{1000 * polls:.0f} ms of CPU time in each second for the polls of one executor and the client, and nobody has tried a thousand. "
                 f"The median of {draws} draws (3 of 10¹² rows), and the longest.\n")
        self.say("| rows | workers | time per file | tasks of a job | wall | longest | of these: files | handing out tasks |\n| " + "---: | " * 8)
        for rows in (10**10, 10**12):
            for workers in (10, 100, 1000):
                for per_file in PER_FILE:
                    walls = []
                    # Many tasks differ little from draw to draw.
                    for draw in range(draws if rows < 10**12 else 3):
                        state = random.Random(f"{rows} {workers} {draw}")
                        walls.append(gaps + sum(drawn(state, job, rows, run["rows"], workers, per_file, dispatch) for job in run["jobs"]))
                    middle, many = statistics.median(walls), tasks_of(rows)
                    reads = sum(1 for job in run["jobs"] if job["node"] in READS_ALL)
                    files = per_file * (reads * many * -(-many // (workers * SLOTS)) + many * len(run["jobs"]))
                    self.say(f"| 10{'¹⁰' if rows == 10**10 else '¹²'} | {workers:,} | {1e6 * per_file:,.0f} µs | {many:,} | **{lasting(middle)}** | {lasting(max(walls))} | "
                             f"{100 * files / middle:.0f} % | {100 * dispatch * many * len(run['jobs']) / middle:.0f} % |")


def measure_all(arguments):
    folder = Path(arguments.folder)
    folder.mkdir(parents=True, exist_ok=True)
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / arguments.profile
    if not arguments.no_build:
        profile = ["--release"] if arguments.profile == "release" else []
        subprocess.run(["cargo", "build", "--locked", *profile, *FEATURES, "--bins"], cwd=ROOT, check=True)
    incrowd, compared = str(target / "incrowd"), arguments.compared[0]
    return {"machine": plots.machine(), "cores": os.cpu_count(), "profile": arguments.profile,
            "growth": [measured(incrowd, folder, rows, 2) for rows in arguments.sizes],
            "slots": [measured(incrowd, folder, compared, slots) for slots in (1, 2, 4)]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", help="a scratch folder with 40 GB of room")
    parser.add_argument("--sizes", type=sizes, default=sizes("1e6,1e7,1e8"))
    parser.add_argument("--compared", type=sizes, default=sizes("1e7"))
    parser.add_argument("--profile", default="release", choices=["release", "debug"])
    parser.add_argument("--draws", type=int, default=DRAWS)
    parser.add_argument("--no-build", action="store_true")
    parser.add_argument("--simulate", action="store_true", help="measure nothing")
    arguments = parser.parse_args()
    if not arguments.simulate:
        if arguments.folder is None:
            parser.error("--folder is needed, or --simulate")
        MEASURED.write_text(json.dumps(measure_all(arguments), ensure_ascii=False) + "\n", encoding="utf-8")
    told, page = json.loads(MEASURED.read_text(encoding="utf-8")), Page()
    page.say("# Growth, and larger clusters\n")
    page.say(f"Written by `python3 benchmarks/scale/workers.py`. {told['machine']} {told['profile'].capitalize()} build, 8 quasi-identifiers, 2 kept columns, "
             "k = 10, mondrian, seed 1, Parquet in 64 files, one run each.\n")
    page.growth(told["growth"])
    page.compared(told["slots"], told["cores"])
    page.beyond(told["growth"][-1], next(run for run in told["slots"] if run["slots"] == 1), arguments.draws)
    (HERE / "workers.md").write_text("\n".join(page.lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
