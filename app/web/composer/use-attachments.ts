import { useRef, useState } from "react";
import { refusalOf } from "./attachment-limits.ts";
import { fitPicture } from "./fit-picture.ts";
import { type Attachment, readFile } from "./read-file.ts";

export interface Attachments {
  readonly files: readonly Attachment[];
  /** Why files were not taken, one reason each. */
  readonly refusals: readonly string[];
  /** Takes what may be taken, and says why not of the rest. */
  readonly add: (files: readonly File[]) => Promise<void>;
  readonly remove: (id: number) => void;
  /** Empty again, as after sending. */
  readonly reset: () => void;
}

/** The files that go with the next message. */
export function useAttachments(): Attachments {
  const [files, setFiles] = useState<readonly Attachment[]>([]);
  const [refusals, setRefusals] = useState<readonly string[]>([]);
  const last = useRef(0);
  // Several files may be read at once: each decision sees those before it.
  const taken = useRef<readonly Attachment[]>([]);
  const show = (list: readonly Attachment[]) => {
    taken.current = list;
    setFiles(list);
  };
  const add = async (added: readonly File[]) => {
    const refused: string[] = [];
    setRefusals([]);
    for (const given of added) {
      const file = await fitPicture(given);
      const candidate = { name: file.name, type: file.type, bytes: file.size };
      const refusal = refusalOf(candidate, taken.current);
      const read = refusal === null ? await readFile(file, (last.current += 1)) : null;
      if (read === null) refused.push(refusal ?? `“${file.name}” could not be read as text.`);
      else show([...taken.current, { ...read, isMadeSmaller: file !== given }]);
    }
    setRefusals(refused);
  };
  const remove = (id: number) => {
    show(taken.current.filter((file) => file.id !== id));
    setRefusals([]);
  };
  const reset = () => {
    show([]);
    setRefusals([]);
  };
  return { files, refusals, add, remove, reset };
}
