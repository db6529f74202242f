/** `node bench/side-by-side/run.ts [--rounds n] [--out file]`: measures all subjects and prints the table; `file` gets it too. */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { benchSizes, burstToMany, burstToOne, coldOpen, crowd, firstChunk, oneByOne, replay } from "./measures.ts";
import { runRounds } from "./rounds.ts";
import { aiChat, floor1, floor2, type Running, start, think, troupe } from "./subjects.ts";
import { missed, ratioTable } from "./table.ts";

const { values } = parseArgs({ options: { rounds: { type: "string", default: "3" }, out: { type: "string" } } });
const rounds = Number(values.rounds);
const began = Date.now();
const progress = (text: string): void =>
  console.log(`${String(Math.round((Date.now() - began) / 1000)).padStart(4)} s  ${text}`);

const running: Running[] = [];
try {
  for (const subject of [troupe, floor1, floor2, think, aiChat]) {
    progress(`starting ${subject.key}`);
    running.push(await start(subject));
  }
  const measures = [firstChunk, burstToOne, burstToMany, oneByOne, replay, coldOpen];
  const medians = await runRounds(running, { rounds, sizes: benchSizes, measures, rare: [crowd], progress });
  const table = ratioTable(medians, [troupe, think, aiChat]);
  console.log(`\n${table}\n`);
  if (values.out !== undefined) {
    writeFileSync(values.out, JSON.stringify({ rounds, table, missed: missed(medians) }));
  }
} finally {
  await Promise.all(running.map((one) => one.stop()));
}
