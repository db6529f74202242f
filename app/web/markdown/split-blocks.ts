/**
 * A growing markdown text as its top-level blocks, so that each is drawn once.
 * Joined again they are the text. Only the end of a text is split again when it
 * grows: what comes later can change the last two blocks, and none before.
 */
import { lexer } from "marked";
import { unlessTooDeep } from "./nesting.ts";

/** Blocks that may still change when text is added: a blank line behind a list is a block until the list goes on. */
const OPEN_BLOCKS = 2;

/** A definition holds for the whole text: `[name]: address`, `[^1]: footnote`. Such a text is one block. */
const DEFINITION = /^ {0,3}\[[^\]\n]+\]:/m;

export interface Split {
  readonly text: string;
  readonly blocks: readonly string[];
}

export const nothingSplit: Split = { text: "", blocks: [] };

/** The blocks of `text`. Those of `previous` that cannot have changed are taken over. */
export function splitBlocks(text: string, previous: Split = nothingSplit): Split {
  if (text === previous.text) return previous;
  if (DEFINITION.test(text)) return { text, blocks: [text] };
  const kept = text.startsWith(previous.text) ? previous.blocks.slice(0, -OPEN_BLOCKS) : [];
  const start = kept.reduce((sum, block) => sum + block.length, 0);
  const rest = text.slice(start);
  const added = unlessTooDeep(rest, () => lexer(rest, { gfm: true }).map(({ raw }) => raw), [rest]);
  // A lexer that tidies the text up (tabs, line ends) gives other blocks than were written: then it is one.
  return { text, blocks: added.join("") === rest ? [...kept, ...added] : [text] };
}
