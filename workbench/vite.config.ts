import { svelte } from "@sveltejs/vite-plugin-svelte";
import { readFileSync } from "node:fs";
import { defineConfig, type Plugin } from "vite";

// Fixed file names and one chunk: the built files are committed and embedded in the binary, and a rebuild has to give
// the same bytes. The server sends no-store, so that no hash is needed to invalidate caches.
export default defineConfig({
  plugins: [svelte(), glossary()],
  base: "/",
  build: {
    outDir: "../crates/incrowd-workbench/assets",
    emptyOutDir: true,
    target: "es2022",
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        codeSplitting: false,
        entryFileNames: "workbench.js",
        chunkFileNames: "[name].js",
        assetFileNames: "workbench[extname]",
      },
    },
  },
});

/** The glossary of the documentation is embedded next to the page: the server answers GET /glossary from it. */
function glossary(): Plugin {
  return {
    name: "glossary",
    generateBundle() {
      this.emitFile({ type: "asset", fileName: "glossary.md", source: readFileSync(new URL("../docs/glossary.md", import.meta.url), "utf8") });
    },
  };
}
