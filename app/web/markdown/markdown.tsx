import { useDeferredValue, useState } from "react";
import { Block } from "./block.tsx";
import { nothingSplit, splitBlocks } from "./split-blocks.ts";

/**
 * What a model wrote. Drawn when there is time: typing and scrolling come first
 * while a long answer streams; and of that only the blocks that changed.
 */
export function Markdown({ text }: { readonly text: string }) {
  const blocks = useBlocks(useDeferredValue(text));
  return (
    <div className="markdown" dir="auto">
      {/* Blocks are only ever added at the end, so their position names them. */}
      {/* oxlint-disable-next-line react/no-array-index-key */}
      {blocks.map((block, at) => (block.trim() === "" ? null : <Block key={at} text={block} />))}
    </div>
  );
}

/** The blocks of a text, split on from where the last drawing was. */
function useBlocks(text: string): readonly string[] {
  const [last, setLast] = useState(nothingSplit);
  const split = splitBlocks(text, last);
  if (split !== last) setLast(split);
  return split.blocks;
}
