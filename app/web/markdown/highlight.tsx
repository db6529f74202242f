/** Code as coloured text, for the languages that come up most. Everything else stays as it is. */
import { toJsxRuntime } from "hast-util-to-jsx-runtime";
import bash from "highlight.js/lib/languages/bash";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import go from "highlight.js/lib/languages/go";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import markdown from "highlight.js/lib/languages/markdown";
import python from "highlight.js/lib/languages/python";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import { createLowlight } from "lowlight";
import type { ReactNode } from "react";
import { Fragment, jsx, jsxs } from "react/jsx-runtime";

const scripts = { bash, javascript, python, sql, typescript };
const compiled = { go, java, rust };
const lowlight = createLowlight({ ...scripts, ...compiled, css, diff, json, markdown, xml, yaml });
lowlight.registerAlias({ bash: ["shell", "console"], json: ["jsonc"] });

/** Longer code is not coloured: it would be done again for each frame in which it grows. */
export const MAX_COLOURED_CHARS = 20_000;

export function highlight(code: string, language: string): ReactNode {
  if (code.length > MAX_COLOURED_CHARS || !lowlight.registered(language)) return code;
  return toJsxRuntime(lowlight.highlight(language, code), { Fragment, jsx, jsxs });
}
