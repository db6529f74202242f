/** Names for new conversations that a person can read out: about 13 million of them. */

const MANNERS =
  "amber brave brisk calm clear copper coral crisp dapper early fair fleet gentle glad golden hazel ivory jolly keen kind lively lucid mellow merry misty nimble noble opal pearl plain proud quick quiet rapid rosy sage silver sleek steady sunny swift tidy vivid warm wise witty young zesty".split(
    " ",
  );
const PLAYERS =
  "acrobat actor bard cellist chorus clown conductor dancer drummer dresser fiddler flutist harpist herald jester juggler lutist magician mime minstrel narrator painter pianist piper poet prompter puppet rider scribe singer soprano stagehand tailor tenor troubadour trumpeter tumbler usher violist weaver".split(
    " ",
  );

/** `swift-juggler-4821`. `random` gives numbers from 0 up to, not including, 1. */
export function newName(random: () => number = Math.random): string {
  const pick = (words: readonly string[]) => words[Math.floor(random() * words.length)] ?? "";
  return `${pick(MANNERS)}-${pick(PLAYERS)}-${1000 + Math.floor(random() * 9000)}`;
}
