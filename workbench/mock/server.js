// A stand-in for the server of the workbench, for tests and screenshots: the same API, with canned answers.
// node mock/server.js [port]
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { routes } from "./routes.js";

const dist = new URL("../../crates/incrowd-workbench/assets/", import.meta.url);
const types = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css" };
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; frame-ancestors 'none'";

export function startMock(port = 0) {
  const handle = routes();
  const server = createServer(async (request, response) => {
    const url = new URL(request.url, "http://localhost");
    response.setHeader("Content-Security-Policy", policy);
    response.setHeader("Cache-Control", "no-store");
    response.setHeader("Referrer-Policy", "no-referrer");
    if (url.pathname.startsWith("/api/")) return handle(request, response, url);
    if (url.pathname.startsWith("/pages/")) {
      response.setHeader("Content-Type", types[".html"]);
      return response.end("<!doctype html><title>Report</title><h1>Report</h1>");
    }
    const name = url.pathname === "/" ? "index.html" : url.pathname.slice(1);
    try {
      const body = await readFile(new URL(name, dist));
      response.setHeader("Content-Type", types[name.slice(name.lastIndexOf("."))] ?? "application/octet-stream");
      response.end(body);
    } catch {
      response.writeHead(404).end("not found");
    }
  });
  return new Promise((resolve) => server.listen(port, "127.0.0.1", () => resolve({ url: `http://127.0.0.1:${server.address().port}/`, close: () => { server.closeAllConnections(); server.close(); } })));
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { url } = await startMock(Number(process.argv[2] ?? 5199));
  console.log(url);
}
