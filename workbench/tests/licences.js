// Lists every package of the lock file with its version and licence: npm run licences
import { readFileSync } from "node:fs";

const { packages } = JSON.parse(readFileSync(new URL("../package-lock.json", import.meta.url), "utf8"));
const lines = Object.entries(packages)
  .filter(([path]) => path !== "")
  .map(([path, { version, license }]) => `${path.replace(/^.*node_modules\//, "")} ${version}: ${license ?? "none named"}`);
console.log([...new Set(lines)].sort().join("\n"));
