// A server of the workbench on a folder of its own with a made-up table: INCROWD names the binary.
import { execFileSync, spawn } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const binary = process.env.INCROWD;
if (!binary) {
  console.error("INCROWD has to name the binary: INCROWD=…/debug/incrowd npm test");
  process.exit(2);
}

/** Runs the command line in a folder and gives what it prints. */
export const incrowd = (folder, ...words) => execFileSync(binary, words, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

/**
 * Starts a server. Its folder is made, and removed at the end, unless it is given. A browser is started only when
 * `browser` names the folder of a program that stands for it.
 */
export async function startServer({ rows = 500, folder = null, table = "people.csv", open = true, browser = null, copy = null } = {}) {
  const place = folder ?? mkdtempSync(join(tmpdir(), "incrowd-page-"));
  if (copy) copyFileSync(copy, join(place, table));
  else incrowd(place, "sample", "--rows", String(rows), "-o", table, "--quiet");
  const server = spawn(binary, ["open", ...(open ? [table] : []), ...(browser ? [] : ["--no-browser"]), "--folder", "."], {
    cwd: place,
    env: { ...process.env, PATH: browser ? `${browser}:${process.env.PATH}` : process.env.PATH },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const url = await new Promise((resolve, reject) => {
    let heard = "";
    server.stdout.on("data", (words) => {
      const address = (heard += words).match(/http:\/\/\S+/);
      if (address) resolve(address[0]);
    });
    server.on("exit", (code) => reject(new Error(`the server ended with ${code}: ${heard}`)));
  });
  const close = () => {
    server.removeAllListeners("exit");
    server.kill("SIGTERM");
    if (folder === null) rmSync(place, { recursive: true, force: true });
  };
  return { url, folder: place, pid: server.pid, close };
}
