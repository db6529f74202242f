/** The page of `npm start`. */
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { applyTheme } from "./shell/theme.ts";
import "./styles/index.css";

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no #root.");
applyTheme();
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
