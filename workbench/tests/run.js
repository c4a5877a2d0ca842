// Runs the tests in one process, so that they share a browser: INCROWD=…/debug/incrowd npm test [WORD…]
// `npm run unit` needs neither a binary nor a browser.
import { after } from "node:test";
import { register } from "node:module";
import { readdirSync } from "node:fs";

register("./typescript_loader.js", import.meta.url);
const wanted = process.argv.slice(2);
if (!wanted.includes("unit/")) after((await import("./browser.js")).closeAll);
const files = [...readdirSync(new URL("./unit/", import.meta.url)).map((name) => `./unit/${name}`), "./screens.spec.js", "./journey.spec.js", "./security.spec.js", "./axe.spec.js"];
for (const file of files) if (wanted.length === 0 || wanted.some((word) => file.includes(word))) await import(file);
