// Runs the tests in one process, so that all browser tests share one session: the address of a real server has a token
// that can be used only once. `npm test` uses the mock; WORKBENCH_URL=… npm test uses a running server.
import { after } from "node:test";
import { register } from "node:module";
import { readdirSync } from "node:fs";

register("./typescript_loader.js", import.meta.url);
const { closeAll } = await import("./browser.js");
after(closeAll);
const wanted = process.argv.slice(2);
const files = [...readdirSync(new URL("./unit/", import.meta.url)).map((name) => `./unit/${name}`), "./screens.spec.js", "./journey.spec.js", "./axe.spec.js"];
for (const file of files) if (wanted.length === 0 || wanted.some((word) => file.includes(word))) await import(file);
