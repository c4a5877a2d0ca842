// What only a browser or the system can tell: its own reports of the content policy, its addresses and stores, and what
// other users of the machine see. The rules that a plain client can test are tested beside the server.
import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fillAllScreens, openWorkbench } from "./browser.js";
import { startServer } from "./server.js";

/** The arguments of all processes. */
function processes() {
  const read = (path) => {
    try {
      return readFileSync(path, "utf8");
    } catch {
      return "";
    }
  };
  const ids = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && name !== String(process.pid));
  return ids.map((id) => read(`/proc/${id}/cmdline`)).join("\n");
}

describe("security in the browser", () => {
  test("the browser reports and stops scripts and styles that are not of the page", async () => {
    const { page, close } = await openWorkbench({ rows: 50 });
    const reported = await page.evaluate(async () => {
      const found = [];
      document.addEventListener("securitypolicyviolation", (event) => found.push(event.effectiveDirective));
      const script = document.createElement("script");
      script.textContent = "window.ran = true";
      document.body.append(script);
      const style = document.createElement("style");
      style.textContent = "body { display: none }";
      document.body.append(style);
      const image = document.createElement("img");
      image.src = "http://127.0.0.2:9/pixel.png";
      document.body.append(image);
      await fetch("http://127.0.0.2:9/out").catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, 200));
      return { found: found.sort(), ran: window.ran === true };
    });
    assert.deepEqual(reported, { found: ["connect-src", "img-src", "script-src-elem", "style-src-elem"], ran: false });
    await close();
  });

  test("no value is in an address, nothing is stored, and nothing is asked of another place", async () => {
    const { page, problems, folder, close } = await openWorkbench({ rows: 200 });
    const asked = [];
    page.on("request", (request) => asked.push(request.url()));
    await fillAllScreens(page);
    const [names, ...rows] = readFileSync(join(folder, "people.csv"), "utf8").trim().split("\n").map((line) => line.split(","));
    // Short texts and numbers occur in any address.
    const values = new Set(rows.flat().filter((cell) => cell.length > 5 && !names.includes(cell)));
    const told = asked.filter((url) => [...values].some((value) => decodeURIComponent(url).includes(value)));
    assert.deepEqual(told, []);
    const host = new URL(page.url()).host;
    assert.deepEqual(asked.filter((url) => new URL(url).host !== host), []);
    assert.equal(await page.evaluate(() => localStorage.length + sessionStorage.length), 0);
    assert.doesNotMatch(page.url(), /token/);
    assert.deepEqual(problems, []);
    await close();
  });

  test("other users of the machine do not see the token in the list of processes", async () => {
    const folder = mkdtempSync(join(tmpdir(), "incrowd-opener-"));
    const opener = join(folder, "xdg-open");
    writeFileSync(opener, `#!/bin/sh\necho "$1" > "${folder}/asked"\nexec sleep 20\n`);
    chmodSync(opener, 0o755);
    const server = await startServer({ rows: 20, browser: folder });
    const token = new URL(server.url).searchParams.get("token");
    assert.ok(token.length >= 32);
    let page = "";
    for (let turn = 0; turn < 100 && page === ""; turn++) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      page = (() => { try { return readFileSync(join(folder, "asked"), "utf8").trim(); } catch { return ""; } })();
    }
    assert.ok(readFileSync(page, "utf8").includes(token), "the browser is led to the address");
    assert.ok(!processes().includes(token));
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });
});
