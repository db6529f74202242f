/** Markdown as it is read out: the words, without the marks. */
import { lexer, type Token, type Tokens } from "marked";

/** Each block on a line of its own; of a table each row. */
export function plainText(markdown: string): string {
  return linesOf(lexer(markdown, { gfm: true })).join("\n");
}

function linesOf(tokens: readonly Token[]): string[] {
  return tokens.flatMap(blockLines).filter((line) => line !== "");
}

function blockLines(token: Token): string[] {
  switch (token.type) {
    case "list":
      return (token as Tokens.List).items.flatMap((item) => linesOf(item.tokens));
    case "blockquote":
      return linesOf(token.tokens ?? []);
    case "table": {
      const { header, rows } = token as Tokens.Table;
      return [header, ...rows].map((cells) => cells.map((cell) => wordsOf(cell.tokens)).join(", "));
    }
    case "space":
    case "hr":
    case "def":
    case "checkbox":
      return [];
    default:
      return [wordsIn(token).trim()];
  }
}

function wordsOf(tokens: readonly Token[]): string {
  return tokens.map(wordsIn).join("");
}

function wordsIn(token: Token): string {
  if (token.type === "br") return "\n";
  if ("tokens" in token && token.tokens !== undefined && token.type !== "image") return wordsOf(token.tokens);
  return "text" in token ? String(token.text) : token.raw;
}
