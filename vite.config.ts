import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { reportPageSize } from "./scripts/page-size.mjs";

/** The page of the assistant; the Worker serves what this builds. */
export default defineConfig({
  root: "app/web",
  plugins: [react(), reportPageSize()],
  // Old files stay: a server that runs in this folder goes on serving its page. Names carry a hash, so they never clash.
  // One file is fine for a page that shows nothing before all of it has come.
  build: { outDir: "../../dist/web", emptyOutDir: false, chunkSizeWarningLimit: 700 },
  // `vite dev` beside `npm start`: the page reloads as you edit it, the server stays the Worker.
  server: { proxy: { "/agents": { target: "http://127.0.0.1:8787", ws: true }, "/api": "http://127.0.0.1:8787" } },
});
