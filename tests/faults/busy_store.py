"""An object store on loopback that can be made to answer 503: s3s-fs, a server that keeps objects as files, behind a proxy.

A run in shards asks a store some thousand times. moto, which tests/python/object_store.py uses, answers some hundred requests a second
and would be what a trial waits for. The proxy reads requests one by one, so that a connection that is kept open is refused too.
"""

import asyncio
import os
import shutil
import socket
import subprocess
import threading
import time
from pathlib import Path
from urllib.parse import unquote

# The last version for the toolchain of this project. Apache-2.0, kept up, a small program; only these trials need it.
VERSION = "0.14.1"
BUCKET, SECRET = "tables", "SECRET-CANARY"
REFUSAL = b"HTTP/1.1 503 Slow Down\r\nContent-Length: 0\r\n\r\n"
ABSENT = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"


def program():
    """The server; it is built at the first use."""
    root = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "incrowd" / f"s3s-fs-{VERSION}"
    if not (root / "bin" / "s3s-fs").exists():
        subprocess.run(["cargo", "install", "s3s-fs", "--version", VERSION, "--locked", "--features", "binary", "--quiet", "--root", root],
                       env={name: value for name, value in os.environ.items() if name != "RUSTC_WORKSPACE_WRAPPER"}, check=True)
    return root / "bin" / "s3s-fs"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def answers(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


class Store:
    """The server and its proxy, whose address is `url`. While `is_busy`, every request is refused and counted."""

    def __init__(self, folder):
        self.is_busy, self.last, self.refused = False, 0.0, 0
        self.folder, self.behind = folder, free_port()
        (folder / BUCKET).mkdir(parents=True)
        words = [program(), "--host", "127.0.0.1", "--port", str(self.behind), "--access-key", "testing", "--secret-key", SECRET, folder]
        self.process = subprocess.Popen(words, env={**os.environ, "RUST_LOG": "off"}, stdout=subprocess.DEVNULL)
        began, port = threading.Event(), free_port()
        threading.Thread(target=lambda: asyncio.run(self.serve(port, began)), daemon=True).start()
        began.wait()
        self.url = f"http://127.0.0.1:{port}"
        while not answers(self.behind):
            time.sleep(0.05)

    def stop(self):
        self.process.terminate()
        self.process.wait()

    async def serve(self, port, began):
        async with await asyncio.start_server(self.forward, "127.0.0.1", port, limit=1 << 20) as server:
            began.set()
            await server.serve_forever()

    async def forward(self, requests, answers):
        """One connection: requests are passed on or refused, answers are passed back as they come."""
        replies, passed = await asyncio.open_connection("127.0.0.1", self.behind)
        back = asyncio.create_task(self.copy(replies, answers))
        try:
            while True:
                head = await requests.readuntil(b"\r\n\r\n")
                self.last, answer = time.monotonic(), self.own_answer(head)
                if not answer:
                    passed.write(head)
                left = length(head)
                while left > 0 and (piece := await requests.read(min(left, 1 << 16))):
                    left -= len(piece)
                    if not answer:
                        passed.write(piece)
                        await passed.drain()
                answers.write(answer)
        except (asyncio.IncompleteReadError, ConnectionError):
            # The client has gone, or was killed in the middle of a request.
            pass
        finally:
            passed.close()
            back.cancel()
            answers.close()

    def own_answer(self, head):
        """The answer to a request that is not passed on. A store has no folders, but the server has, and fails when asked for one."""
        if self.is_busy:
            self.refused += 1
            return REFUSAL
        method, target, _ = head.split(b"\r\n", 1)[0].decode().split(" ")
        name = unquote(target.split("?")[0]).strip("/")
        is_folder = "/" in name and (self.folder / name).is_dir()
        return ABSENT if method in ("HEAD", "GET") and is_folder else b""

    async def copy(self, replies, answers):
        while piece := await replies.read(1 << 16):
            self.last = time.monotonic()
            answers.write(piece)
            await answers.drain()

    def settle(self):
        """Waits for what a killed process had sent: a request of the dead may still be carried out."""
        while time.monotonic() - self.last < 0.3:
            time.sleep(0.02)

    def objects(self, prefix):
        """The names of objects, from the files that the server keeps them in: this disturbs nobody."""
        bucket = self.folder / BUCKET
        names = ((Path(folder) / file).relative_to(bucket).as_posix() for folder, _, files in os.walk(bucket) for file in files)
        return [name for name in names if name.startswith(prefix)]

    def read(self, name):
        return (self.folder / BUCKET / name).read_bytes()

    def put(self, name, path):
        target = self.folder / BUCKET / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)

    def keep_only(self, prefix):
        for path in (self.folder / BUCKET).iterdir():
            if path.name != prefix:
                shutil.rmtree(path)


def length(head):
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            return int(value)
    return 0
