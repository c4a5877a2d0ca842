#!/usr/bin/env python3
"""Runs the pods of kubernetes.yaml as processes in network namespaces of this machine, with its network policies.

    sudo python3 packaging/cluster/namespaces.py INCROWD        # a binary with the feature `cluster`

Each pod has a namespace and an address, and a router forwards what the policies allow: a connection needs a rule of the pod that
calls and one of the pod that is called. Arguments, user and policies are read from the manifest; the shared volume is a folder.
Then, as the pod of the job, a release is made by the cluster, verified, and compared with a local one. Attempts to connect that no
policy allows have to fail, also from a pod without a role. In the end no process and no namespace is left.

Needs root, Linux, and the packages iproute2, nftables, util-linux and python3-yaml.
"""

import argparse
import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import yaml

MANIFEST = Path(__file__).with_name("kubernetes.yaml")
PORTS = {"scheduler": 50050, "executor": 50051}
PLAN = """version = 1
[source]
path = "table.csv"
[policy]
k = 4
[solve]
algorithm = "mondrian"
seed = 1
[release]
format = "csv"
others = "remove"
[[column]]
name = "age"
role = "quasi-identifier"
[[column]]
name = "sex"
role = "quasi-identifier"
[[column]]
name = "education"
role = "quasi-identifier"
[[column]]
name = "diagnosis"
role = "sensitive"
"""


def command(*words: str, **more) -> subprocess.CompletedProcess:
    return subprocess.run(words, check=True, capture_output=True, text=True, **more)


def selected(selector: dict, labels: dict) -> bool:
    """Whether a pod of our namespace has these labels."""
    if any(labels.get(key) != value for key, value in selector.get("matchLabels", {}).items()):
        return False
    rules = selector.get("matchExpressions", [])
    assert all(rule["operator"] == "In" for rule in rules), "only In is used"
    return all(labels.get(rule["key"]) in rule["values"] for rule in rules)


class Pod:
    def __init__(self, number: int, name: str, labels: dict, spec: dict | None):
        self.number, self.name, self.labels, self.spec = number, name, labels, spec
        self.space, self.address, self.router = f"ic{os.getpid()}-{number}", f"10.77.{number}.2", f"10.77.{number}.1"
        self.process = None

    def words(self, shared: Path, names: dict[str, str], work: Path) -> list[str]:
        """The arguments of its container, with addresses for names and folders for mounts."""
        said = []
        for word in self.spec["containers"][0]["args"]:
            word = word.replace("$(POD_IP)", self.address).replace("/shared", str(shared)).replace("/work/", f"{work}/")
            said.append(re.sub(r"df://([\w-]+):", lambda found: f"df://{names[found[1]]}:", word))
        return said

    def inside(self, user: bool = True) -> list[str]:
        number = str(self.spec["securityContext"]["runAsUser"]) if user and self.spec else "0"
        return ["ip", "netns", "exec", self.space, "setpriv", "--reuid", number, "--regid", number, "--clear-groups", "--no-new-privs"]


def pods(documents: list[dict]) -> list[Pod]:
    found, number = [], itertools.count(1)
    for document in documents:
        if document["kind"] in ("Deployment", "Job"):
            template = document["spec"]["template"]
            for _ in range(document["spec"].get("replicas", 1)):
                found.append(Pod(next(number), document["metadata"]["name"], template["metadata"]["labels"], template["spec"]))
    return [*found, Pod(next(number), "stranger", {}, None)]


def allows(policies: list[dict], caller: Pod, called: Pod, port: int) -> bool:
    """Whether the policies let one pod connect to a port of another."""
    def side(pod: Pod, other: Pod, kind: str, peers: str) -> bool:
        of_pod = [policy for policy in policies if selected(policy["podSelector"], pod.labels) and kind in policy["policyTypes"]]
        rules = [rule for policy in of_pod for rule in policy.get(kind.lower(), [])]
        # Peers in another namespace are none of our pods.
        meets = lambda peer: "namespaceSelector" not in peer and selected(peer["podSelector"], other.labels)  # noqa: E731
        opens = any(any(map(meets, rule[peers])) and {"port": port, "protocol": "TCP"} in rule["ports"] for rule in rules)
        return opens or not of_pod

    return side(caller, called, "Egress", "to") and side(called, caller, "Ingress", "from")


class Network:
    """A router between the pods, which forwards what is allowed."""

    def __init__(self, pods: list[Pod], policies: list[dict]):
        self.pods, self.space = pods, f"ic{os.getpid()}-0"
        self.spaces = [self.space, *(pod.space for pod in pods)]
        for space in self.spaces:
            command("ip", "netns", "add", space)
            command("ip", "-n", space, "link", "set", "lo", "up")
        for pod in pods:
            ends = f"v{pod.number}", "eth0"
            command("ip", "-n", self.space, "link", "add", ends[0], "type", "veth", "peer", "name", ends[1], "netns", pod.space)
            for space, end, address in (self.space, ends[0], pod.router), (pod.space, ends[1], pod.address):
                command("ip", "-n", space, "address", "add", f"{address}/30", "dev", end)
                command("ip", "-n", space, "link", "set", end, "up")
            command("ip", "-n", pod.space, "route", "add", "default", "via", pod.router)
        self.allowed = {(one.number, other.number) for one in pods for other in pods if one is not other and other.name in PORTS
                        and allows(policies, one, other, PORTS[other.name])}
        rules = [f"ip saddr {one.address} ip daddr {other.address} tcp dport {PORTS[other.name]} accept"
                 for one in pods for other in pods if (one.number, other.number) in self.allowed]
        chain = "\n".join(["type filter hook forward priority 0; policy drop;", "ct state established,related accept", *rules])
        closed = "type filter hook input priority 0; policy drop;"
        command("ip", "netns", "exec", self.space, "nft", "-f", "-", input=f"table inet pods {{\nchain forward {{\n{chain}\n}}\nchain input {{\n{closed}\n}}\n}}\n")
        command("ip", "netns", "exec", self.space, "sysctl", "-qw", "net.ipv4.ip_forward=1")

    def connects(self, caller: Pod, called: Pod, port: int) -> bool:
        code = f"import socket; socket.create_connection(('{called.address}', {port}), 1)"
        return subprocess.run([*caller.inside(False), sys.executable, "-c", code], capture_output=True).returncode == 0

    def end(self):
        for space in self.spaces:
            subprocess.run(["ip", "netns", "del", space], capture_output=True)


def listening(pod: Pod, port: int) -> None:
    """Waits until a pod listens; asked from itself, where no policy is."""
    code = f"import socket; socket.create_connection(('{pod.address}', {port}), 1)"
    for _ in range(300):
        if subprocess.run([*pod.inside(False), sys.executable, "-c", code], capture_output=True).returncode == 0:
            return
        assert pod.process.poll() is None, f"{pod.name} ended"
        time.sleep(0.1)
    raise AssertionError(f"{pod.name} does not listen")


def trial(binary: str, folder: Path) -> list[str]:
    documents = list(yaml.safe_load_all(MANIFEST.read_text()))
    policies = [document["spec"] for document in documents if document["kind"] == "NetworkPolicy"]
    all_pods = pods(documents)
    scheduler, client = (next(pod for pod in all_pods if pod.name == name) for name in ("scheduler", "release"))
    shared, faults = folder / "shared", []
    shared.mkdir()
    environment = {"PATH": os.environ["PATH"], "NO_COLOR": "1", "TMPDIR": str(folder / "temporary")}
    (folder / "temporary").mkdir(mode=0o777)
    (folder / "temporary").chmod(0o777)
    command(binary, "sample", "--rows", "3000", "-o", str(shared / "table.csv"))
    (shared / "plan.toml").write_text(PLAN)
    user = client.spec["securityContext"]["runAsUser"]
    for path in (shared, *shared.iterdir()):
        os.chown(path, user, user)
    network = Network(all_pods, policies)
    try:
        names = {"scheduler": scheduler.address}
        for pod in all_pods:
            if pod.name in PORTS:
                work = folder / f"work-{pod.number}"
                work.mkdir()
                os.chown(work, user, user)
                pod.process = subprocess.Popen([*pod.inside(), binary, *pod.words(shared, names, work)], cwd=folder, env=environment,
                                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                listening(pod, PORTS[pod.name])
        for caller in all_pods:
            for called in all_pods:
                if caller is not called and called.name in PORTS:
                    may, can = (caller.number, called.number) in network.allowed, network.connects(caller, called, PORTS[called.name])
                    print(f"{caller.name} {caller.number} to {called.name} {called.number}: {'connects' if can else 'refused'}", flush=True)
                    if may != can:
                        faults.append(f"{caller.name} to {called.name}: allowed is {may}, but it is {can}")
        run = lambda *words: subprocess.run([*client.inside(), binary, *words], cwd=folder, env=environment, capture_output=True, text=True)  # noqa: E731
        done = run(*client.words(shared, names, folder))
        print(done.stdout[-400:] or done.stderr[-400:])
        if done.returncode != 0 or run("verify", str(shared / "release"), "--against", str(shared / "table.csv")).returncode != 0:
            faults.append(f"the run on the cluster failed: {done.stderr[-400:]}")
        local = run("anonymize", "--plan", str(shared / "plan.toml"), "-o", str(shared / "local"))
        rows = published(shared / "local")
        if not rows or rows != published(shared / "release"):
            faults.append(f"the cluster published other rows than a local run {local.stderr[-200:]}")
        left = [str(path) for pod in all_pods for path in (folder / f"work-{pod.number}").rglob("*.arrow")]
        if left:
            faults.append(f"rows are left in work directories: {left[:3]}")
    finally:
        for pod in all_pods:
            if pod.process:
                pod.process.terminate()
        for pod in all_pods:
            if pod.process:
                pod.process.wait(30)
        network.end()
    return faults


def published(release: Path) -> list[str]:
    """The rows of a release, in an order that says nothing."""
    return sorted((release / "data.csv").read_text().splitlines()) if (release / "data.csv").exists() else []


def main() -> int:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("incrowd")
    binary = str(Path(asked.parse_args().incrowd).resolve())
    folder = Path(tempfile.mkdtemp(prefix="pods-"))
    folder.chmod(0o755)
    try:
        faults = trial(binary, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print("\n".join(faults) or "what is allowed works, and nothing else does")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
